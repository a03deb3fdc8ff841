"""What a draft's overview and `make_live` say before a study goes live."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.members.invitations import invite
from annotation.members.membership import add_member
from annotation.models import Guideline, Question, Slot, Study, StudyCounts
from annotation.studies import live_checks
from annotation.studies.lifecycle import StudyRefusedError, make_live, prepare
from annotation.studies.live_checks import live_problems
from config.background.claiming import run_waiting
from tests.conftest import add_item, draft_study, make_person

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def study(owner, rater):
    """A draft without problems."""
    study = draft_study(redundancy=1, contact="Room 5")
    add_member(study, owner, "owner", None)
    add_member(study, rater, "annotator", None)
    return study


def listwise():
    study = Study.objects.create(slug="lists", protocol="listwise", redundancy=1, contact="Room 5")
    Question.objects.create(study=study, position=0, key="overall", type="rank", spec={"ranks": 3})
    return study


def of(study):
    return [(one.blocks, one.text) for one in live_problems(study)]


def only(study, part, *, blocks):
    found = [one for one in live_problems(study) if part in one.text]
    assert [one.blocks for one in found] == [blocks], of(study)
    assert found[0].links
    for _, route in found[0].links:
        reverse(route, args=[study.slug])
    return found[0]


def test_a_complete_study_has_no_problem(study):
    assert of(study) == []


def test_all_problems_are_found_at_once_and_those_that_block_come_first():
    study = Study.objects.create(slug="empty", protocol="rating", redundancy=3)
    assert [blocks for blocks, _ in of(study)] == [True, True, False, False, False]
    only(study, "no items yet", blocks=True)
    only(study, "asks no questions", blocks=True)
    only(study, "no annotators", blocks=False)
    only(study, "no guidelines", blocks=False)
    only(study, "nobody to ask", blocks=False)


def test_too_few_annotators_count_open_invitations(study, owner):
    Study.objects.update(redundancy=3)
    study.refresh_from_db()
    only(study, "Each task needs 3 different annotators, but the study has 1 and 0 open", blocks=False)
    invite(study, "annotator", owner)
    only(study, "1 and 1 open invitation.", blocks=False)
    invite(study, "annotator", owner)
    assert of(study) == []


def test_questions_that_nobody_must_answer_and_empty_guidelines_are_worth_a_look(study):
    study.questions.update(required=False)
    Guideline.objects.create(study=study, number=2, text="  \n")
    only(study, "No question needs an answer", blocks=False)
    only(study, "no guidelines", blocks=False)


def test_items_without_enough_outputs_give_no_task():
    study = listwise()
    for number in range(5):
        add_item(study, f"one-{number}", ("system-north",))
    only(study, "No item gives a task", blocks=True)
    add_item(study, "three")
    found = only(study, "5 items give no task", blocks=False)
    assert "one-0, one-1, one-2 and 2 more" in found.text


def test_a_planned_study_without_a_task_cannot_go_live():
    study = listwise()
    add_item(study, "one", ("system-north",))
    assert prepare(study, 10)
    assert not Slot.objects.exists()
    with pytest.raises(StudyRefusedError, match="No item gives a task"):
        make_live(study, None)


def test_systems_that_no_item_has_are_named():
    options = {"pairs": {"baseline": "system-east"}}
    described = {"system-far": {"family": "far"}}
    study = Study.objects.create(slug="pairs", protocol="pairwise", redundancy=1, options=options, systems=described)
    Question.objects.create(study=study, position=0, key="better", type="preference")
    add_item(study, "one")
    only(study, "name the system system-east", blocks=False)
    only(study, "system-far is described", blocks=False)
    only(study, "No item gives a task", blocks=True)


def test_settings_that_do_not_fit_together_block():
    study = listwise()
    add_item(study, "three")
    study.questions.update(type="likert", spec={"min": 1, "max": 5})
    assert any(one.blocks for one in live_problems(study)), of(study)


def test_items_of_a_large_study_are_read_by_workers(study, monkeypatch):
    monkeypatch.setattr(live_checks, "FEW_ITEMS", 1)
    study.systems = {"system-far": {}}
    study.save()
    assert of(study) == []
    assert StudyCounts.objects.get().status == "queued"
    run_waiting()
    only(study, "system-far is described", blocks=False)


@pytest.mark.parametrize("few", [500, 1])
def test_a_plan_that_does_not_work_out_is_worth_a_look(study, monkeypatch, few):
    monkeypatch.setattr(live_checks, "FEW_ITEMS", few)
    study.options = {"plan": {"items": {"gone": 1, "item-0": 3}, "lists": {"nobody": ["item-1"]}}}
    study.save()
    if few == 1:
        assert not any("plan" in text for _, text in of(study))
        run_waiting()
    only(study, "names items that are not in the study: gone", blocks=False)
    only(study, "lists for raters who are not annotators of the study: nobody", blocks=False)
    only(study, "Some tasks need 3 raters, but the study has 1 annotator", blocks=False)


def test_the_overview_of_a_draft_lists_them_and_going_live_is_refused(client, study, owner):
    study.questions.all().delete()
    client.force_login(owner)
    shown = client.get("/studies/study/").content.decode()
    assert "The study cannot go live" in shown
    assert "This study asks no questions." in shown
    page = client.post("/studies/study/live/", follow=True).content.decode()
    assert "The study cannot go live yet. This study asks no questions." in page
    study.refresh_from_db()
    assert study.status == "draft"


def test_the_command_prints_the_same_list(capsys):
    study = Study.objects.create(slug="empty", protocol="rating", redundancy=3)
    with pytest.raises(CommandError) as refused:
        call_command("make_live", study.slug)
    assert str(refused.value).split("\n") == [
        "The study cannot go live.", "  This study has no items yet.", "  This study asks no questions.",
    ]  # fmt: skip
    assert "Worth a look: There are no guidelines" in capsys.readouterr().err


def test_the_list_costs_the_same_whatever_the_size(client, study, owner, django_assert_max_num_queries):
    client.force_login(owner)
    for number in range(20):
        add_item(study, f"more-{number}")
        add_member(study, make_person(f"person-{number}"), "annotator", None)
    with django_assert_max_num_queries(12):
        live_problems(study)
