"""The number of raters per task changes while others claim and answer: no place is lost, doubled or taken away."""

from collections import Counter
from contextlib import ExitStack

import pytest

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Annotation, Slot
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.redundancy import set_redundancy, set_study_redundancy
from annotation.studies.steered_items import ItemStepRefusedError
from tests.annotation.studies.test_steps_and_claims import ANSWER, busy
from tests.processes import child, finished, said, tell

pytestmark = pytest.mark.postgresql
__all__ = ["busy"]


def places(item):
    return sorted(item.slots.values_list("task", "number"))


@pytest.mark.django_db
def test_places_are_added_and_open_ones_removed_again(study, owner):
    item = study.items.first()
    before = places(item)
    assert set_redundancy(item, 5, "More", owner) == 3 * len(before) // 2
    assert Counter(task for task, _ in places(item)) == dict.fromkeys({task for task, _ in before}, 5)
    set_redundancy(item, 2, "Fewer", owner)
    assert places(item) == before
    entries = AuditEntry.objects.filter(action="redundancy changed").order_by("pk")
    assert [entry.new["redundancy"] for entry in entries] == [5, 2]
    assert len(entries[1].old["slots"]) == entries[1].new["removed"] == 3 * len(before) // 2


@pytest.mark.django_db
def test_new_places_get_the_orders_that_tasks_had_least_often(make_study, owner):
    from annotation.studies.planning import plan_chunk

    study = make_study(redundancy=1)
    study.protocol, study.options = "pairwise", {"pairs": "all"}
    study.save()
    while plan_chunk(study):
        pass
    item = study.items.first()
    set_redundancy(item, 4, "Balance", owner)
    for task in item.tasks.all():
        assert sorted(Counter(map(tuple, task.slots.values_list("order", flat=True))).values()) == [2, 2]


@pytest.mark.django_db
def test_taken_places_stay_and_nothing_to_change_is_refused(study, owner, rater):
    task = next_assignment(study, rater_for(study, rater)).task
    set_redundancy(task.item, 1, "Fewer", owner)
    assert list(task.slots.values_list("state", flat=True)) == ["held"]
    with pytest.raises(ItemStepRefusedError, match="Nothing to change"):
        set_redundancy(task.item, 1, "Again", owner)
    with pytest.raises(ItemStepRefusedError, match="A task has 1 to"):
        set_redundancy(task.item, 0, "None", owner)


@pytest.mark.django_db
def test_items_without_tasks_get_what_the_study_says(make_study, owner):
    from annotation.studies.planning import plan_chunk

    study = make_study(redundancy=2)
    with pytest.raises(ItemStepRefusedError, match="no tasks yet"):
        set_redundancy(study.items.first(), 3, "More", owner)
    set_study_redundancy(study, 3, "More", owner)
    with pytest.raises(StudyRefusedError, match="already"):
        set_study_redundancy(study, 3, "More", owner)
    while plan_chunk(study):
        pass
    assert {task.slots.count() for item in study.items.all() for task in item.tasks.all()} == {3}


@pytest.mark.thorough
def test_changes_and_claims_at_once_keep_every_answer_and_every_place(busy, owner):
    study, raters = busy
    with ExitStack() as stack:
        children = [stack.enter_context(child(ANSWER, rater.pk)) for rater in raters]
        for one in children:
            assert said(one) == "ready"
        for one in children:
            tell(one)
        number = 0
        while any(one.poll() is None for one in children):
            for item in study.items.select_related("study"):
                try:
                    set_redundancy(item, 1 + number % 4, "Now", owner)
                except ItemStepRefusedError:
                    continue
            number += 1
        for one in children:
            finished(one)
    for item in study.items.select_related("study"):
        try:
            set_redundancy(item, 3, "At last", owner)
        except ItemStepRefusedError:
            continue
    counted = Annotation.objects.filter(is_current=True, status="submitted", surplus=False)
    assert counted.count() == Slot.objects.filter(state="filled").count()
    assert {Slot.objects.filter(task=slot.task).count() for slot in Slot.objects.all()} <= {3, 4}
