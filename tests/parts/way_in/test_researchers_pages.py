"""Researchers' pages: steps as forms, the funnel, the decision after a pilot, backgrounds in groups."""

import pytest
from django.test import Client

from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Rater, Study, Task
from config.yaml_reading import parse_yaml
from files.entered.recruiting_settings import RecruitingRefusedError, digest
from parts.way_in.declaring import change_steps
from parts.way_in.models import PersonalReply, StepPassage
from parts.way_in.yaml_texts import yaml_lines
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import (
    BACKGROUND,
    CONSENT,
    FITTING,
    QUALIFICATION,
    RIGHT,
    SCREEN,
    Walk,
    study_with_steps,
)

PILOT = {"key": "pilot", "kind": "pilot", "items": 2, "payment": "12 pounds"}


@pytest.fixture
def runner(owner):
    client = Client()
    client.force_login(owner)
    return client


def test_steps_are_added_edited_moved_and_removed(runner, owner, rater):
    study = study_with_steps(owner, rater, [])
    base = "/studies/study/steps/"
    seen = runner.get(base).context["seen"]
    questions = yaml_lines(SCREEN["questions"])
    assert parse_yaml(questions) == SCREEN["questions"]
    added = {"seen": seen, "key": "screen", "questions": questions}
    assert runner.post(f"{base}add/screen/", added).status_code == 302
    study.refresh_from_db()
    assert study.recruiting["steps"] == [{"key": "screen", "kind": "screen", "questions": SCREEN["questions"]}]
    assert runner.post(f"{base}add/screen/", added | {"key": "other"}).status_code == 422  # of a page before the change
    seen = runner.get(base).context["seen"]
    consent = {name: value for name, value in CONSENT.items() if name != "kind"}
    assert runner.post(f"{base}add/consent/", consent | {"seen": seen}).status_code == 302
    study.refresh_from_db()
    assert [one["key"] for one in study.recruiting["steps"]] == ["consent", "screen"]
    edit = runner.get(f"{base}edit/screen/")
    assert "native" in edit.content.decode()
    wrong = {"seen": edit.context["seen"], "questions": "- key: a\n  text: T\n  choices: [yes]"}
    assert "choices must be" in runner.post(f"{base}edit/screen/", wrong).content.decode()
    seen = runner.get(base).context["seen"]
    runner.post(base, {"seen": seen, "step": "screen", "do": "up"})
    seen = runner.get(base).context["seen"]
    runner.post(base, {"seen": seen, "step": "consent", "do": "remove"})
    study.refresh_from_db()
    assert [one["key"] for one in study.recruiting["steps"]] == ["screen"]


def test_a_draft_lacks_items_for_its_steps(runner, owner, rater):
    study = study_with_steps(owner, rater, [QUALIFICATION | {"items": 5}])
    Study.objects.filter(pk=study.pk).update(status="draft")
    text = runner.get("/studies/study/").content.decode()
    assert "lacks 1 item of the pool qualification" in text
    assert "1 item missing" in runner.get("/studies/study/steps/").content.decode()


def test_the_funnel_counts_stages_and_the_pilot_waits_for_a_decision(client, runner, owner, rater):
    study = study_with_steps(owner, rater, [CONSENT, SCREEN, PILOT])
    for path in invite(study, "annotator", owner, count=4)[:2]:
        assert Client().get(path).status_code == 200
        assert Client().post(f"{path}opened/").status_code == 204
    client.force_login(rater)
    way = Walk(client, study)
    way.consent()
    way.post("screen", **FITTING)
    assert way.attempt("pilot", RIGHT, RIGHT) == "waiting"
    assert "decide who continues" in way.page().content.decode()
    out = make_person("out")
    add_member(study, out, "annotator", None)
    other = Client()
    other.force_login(out)
    stopped = Walk(other, study)
    stopped.consent()
    stopped.post("screen", **FITTING | {"reply-native": "no"})
    page = runner.get("/studies/study/funnel/")
    rows = [(row.title, row.count, row.failed, row.here, row.waiting) for row in page.context["funnel"].rows]
    assert rows == [
        ("Invited", 4, 0, 0, 0), ("Opened the invitation", 2, 0, 0, 0), ("Joined", 2, 0, 0, 0), ("Consent", 2, 0, 0, 0),
        ("A few questions first", 1, 1, 0, 0), ("Paid pilot", 0, 0, 0, 1), ("Active: at least one answer", 0, 0, 0, 0),
    ]  # fmt: skip
    assert page.context["funnel"].rows[1].of_first == 0.5
    passage = StepPassage.objects.get(step="pilot")
    shown = runner.get(f"/studies/study/funnel/{passage.pk}/").content.decode()
    assert "Does it follow?" in shown
    assert runner.post(f"/studies/study/funnel/{passage.pk}/", {"decision": "continue"}).status_code == 302
    assert Rater.objects.get(person=rater).admitted
    runner.post(f"/studies/study/funnel/{passage.pk}/", {"decision": "stop"})
    assert StepPassage.objects.get(step="pilot").outcome == "passed"


def test_backgrounds_are_shown_in_groups_of_five_only(runner, owner, rater):
    study = study_with_steps(owner, rater, [BACKGROUND])
    task = Task.objects.filter(item__study=study).first()
    for number, age in enumerate(["18-24"] * 6 + ["25-34"] * 2 + ["35+"] * 7 + [None] * 6):
        person = make_person(f"person-{number}")
        one = rater_for(study, person)
        Annotation.objects.create(
            task=task, rater=one, revision=1, status="submitted", answers={}, shown=[0], protocol_version=1
        )
        if age:
            PersonalReply.objects.create(
                study=study, person=person, step="background", question="age", value=age, given_at=one.created_at
            )
    told = runner.get("/studies/study/background/background.json").json()
    (step,) = told["steps"]
    assert (told["people"], step["replied"], step["coverage"]) == (20, 15, {"answers": 75})
    cells = {cell["answer"]: cell["people"] for cell in step["questions"][0]["cells"]}
    assert cells == {"18-24": None, "25-34": None, "35+": 5, "no answer": 5}
    text = runner.get("/studies/study/background/").content.decode()
    assert text.count("not shown") >= 2


def test_two_people_do_not_learn_about_each_other(runner, owner, rater):
    study = study_with_steps(owner, rater, [BACKGROUND])
    one = rater_for(study, rater)
    PersonalReply.objects.create(
        study=study, person=rater, step="background", question="age", value="35+", given_at=one.created_at
    )
    told = runner.get("/studies/study/background/background.json").json()
    assert (told["people"], told["steps"][0]["replied"], told["steps"][0]["coverage"]) == (
        None,
        None,
        {"answers": None},
    )
    assert {cell["people"] for cell in told["steps"][0]["questions"][0]["cells"]} == {None}


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"key": "a", "kind": "nothing"}, "kind must be one of"),
        ({"key": "a", "kind": "consent", "text": "T", "retention": "R"}, "on_withdrawal"),
        ({"key": "a", "kind": "screen", "questions": []}, "questions must be a list"),
        (SCREEN | {"questions": [{"key": "x", "text": "T", "choices": ["a", "b"], "fits": ["c"]}]}, "fits must be"),
        (SCREEN | {"questions": [{"key": "x", "text": "T", "least": 3}]}, "number: true"),
        (BACKGROUND | {"questions": [{"key": "x", "text": "T"}]}, "needs choices"),
        (QUALIFICATION | {"rules": [{"question": "nothing"}]}, "is not a question"),
        (QUALIFICATION | {"rules": [{"question": "follows", "found": 0.5}]}, "found is only for"),
        (QUALIFICATION | {"attempts": 0}, "attempts must be"),
        (QUALIFICATION | {"items": 0}, "items must be"),
        (QUALIFICATION | {"item": 3}, "items"),
        (PILOT | {"pool": "main"}, "pool must be"),
    ],
)
def test_a_step_that_cannot_be_taken_is_refused(runner, owner, rater, step, problem):
    study = study_with_steps(owner, rater, [])
    with pytest.raises(RecruitingRefusedError, match=problem):
        change_steps(study, [step], owner, seen=digest(study))


def test_pages_cost_the_same_with_many_steps_and_people(runner, owner, rater, django_assert_max_num_queries):
    steps = [CONSENT, BACKGROUND, *(QUALIFICATION | {"key": f"test-{number}", "items": 1} for number in range(9))]
    study = study_with_steps(owner, rater, steps)
    for number in range(12):
        person = make_person(f"person-{number}")
        add_member(study, person, "annotator", None)
        rater_for(study, person)
    for page in ("steps/", "funnel/", "background/", "steps/edit/test-3/"):
        with django_assert_max_num_queries(15):
            assert runner.get(f"/studies/study/{page}").status_code == 200
    assert "5 items missing" not in runner.get("/studies/study/steps/").content.decode()
    assert runner.get("/studies/study/steps/").content.decode().count("1 item missing") == 5
