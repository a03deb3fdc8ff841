"""A damaged twin is judged against the rater's own answer to the undamaged task."""

import pytest

from annotation.models import Annotation, Item, Output, Study, Task, TaskOutput
from parts.checks.answered import answered_checks
from parts.checks.models import CheckItem
from tests.parts.checks.checked_study import CHECKS, QUESTIONS, SCALE, make_checked_study, rater_in, work_through


@pytest.fixture
def twin(owner, tmp_path):
    """A function that answers a task and then its twin, whose output `north` is damaged; returns what it counts."""

    def answered(protocol, *before, after, checks=CHECKS, later=None):
        study = make_checked_study(tmp_path, owner, protocol, items=1, golden=1, checks=checks)
        _, rater = rater_in(study, "ada")
        source = Task.objects.filter(item__study=study, item__pool="main", outputs__key="north").order_by("pk").first()
        item = Item.objects.create(study=study, key="copy", pool="copies", digest="d")
        CheckItem.objects.create(item=item, source=source.item, kind="twins", damage="cut", damaged="north")
        copy = Task.objects.create(item=item, key=source.key)
        for place in source.task_outputs.order_by("position"):
            made = Output.objects.create(item=item, key=place.output.key, position=place.position, text="t", digest="d")
            TaskOutput.objects.create(task=copy, output=made, position=place.position)

        def write(task, revision, answers, status="submitted", current=True):
            Annotation.objects.filter(task=task).update(is_current=False)
            Annotation.objects.create(
                task=task, rater=rater, revision=revision, status=status, answers=answers, is_current=current,
                shown=list(range(task.task_outputs.count())), protocol_version=1,
            )  # fmt: skip

        for revision, answers in enumerate(before, 1):
            write(source, revision, answers)
        write(copy, 1, after)
        if later:
            write(source, len(before) + 1, later)
        [check] = answered_checks(Study.objects.get(pk=study.pk), rater)
        return check.share

    return answered


@pytest.mark.parametrize(
    ("first", "then", "share"), [(4, 2, 1), (4, 4, 0), (3, 5, 0), (1, 1, None), (1, 3, 0)]
)  # fmt: skip
def test_a_value_must_fall_and_the_lowest_one_cannot(twin, first, then, share):
    assert twin("rating", {"well": first}, after={"well": then}) == share


def test_a_twin_without_an_earlier_answer_does_not_count(twin):
    assert twin("rating", after={"well": 1}) is None


def test_an_answer_that_is_changed_after_the_twin_changes_nothing(twin):
    assert twin("rating", {"well": 5}, {"well": 4}, after={"well": 3}, later={"well": 1}) == 1


def test_lower_values_may_be_better(twin):
    checks = {**CHECKS, "twins": {"share": 0.2, "lower_is_better": ["well"]}}
    assert twin("rating", {"well": 2}, after={"well": 4}, checks=checks) == 1


@pytest.mark.parametrize(
    ("first", "then", "share"),
    [("north", "south", 1), ("north", "tie", 1), ("tie", "tie", 0), ("south", "north", 0), ("south", "south", None)],
)
def test_a_choice_must_leave_the_damaged_output(twin, first, then, share):
    assert twin("pairwise", {"better": first}, after={"better": then}) == share


@pytest.mark.parametrize(
    ("first", "then", "share"),
    [((1, 2, 3), (2, 1, 3), 1), ((2, 1, 3), (1, 2, 3), 0), ((3, 1, 2), (3, 2, 1), None), ((1, 1, 1), (1, 1, 1), 0)],
)
def test_a_rank_must_become_worse(twin, first, then, share):
    before, after = ({"overall": dict(zip(("north", "south", "west"), ranks, strict=True))} for ranks in (first, then))
    assert twin("listwise", before, after=after) == share


@pytest.mark.parametrize(("telling", "share"), [({"questions": ["well"]}, 1), ({}, 0)])
def test_only_the_questions_that_tell_are_asked(twin, monkeypatch, telling, share):
    monkeypatch.setitem(
        QUESTIONS, "rating", [*SCALE, {"key": "fun", "type": "likert", "min": 1, "max": 5, "text": "?"}]
    )
    checks = {**CHECKS, "twins": {"share": 0.2, **telling}}
    assert twin("rating", {"well": 4, "fun": 2}, after={"well": 2, "fun": 3}, checks=checks) == share


@pytest.mark.thorough
def test_twins_are_made_of_outputs_that_the_rater_can_find_worse(client, owner, tmp_path):
    study = make_checked_study(tmp_path, owner, "pairwise", items=18)
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    for _ in work_through(client, study, rater):
        pass
    checks = [one for one in answered_checks(study, rater) if one.check.kind == "twins"]
    assert len(checks) > 3
    assert all(one.before["better"] in (one.check.damaged, "tie") for one in checks)
    assert None not in [one.share for one in checks]
