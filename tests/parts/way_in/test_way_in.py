"""The way into a study, from the home page to the first task."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.answers import Sheet
from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Question
from files.entered.recruiting_settings import digest
from parts.way_in.beside_gold import in_words
from parts.way_in.declaring import change_steps
from parts.way_in.models import Consent, PersonalReply, StepPassage
from parts.way_in.pilot_decisions import decide
from parts.way_in.step_kinds.screen import answer_fits
from tests.parts.way_in.way_in_study import (
    BACKGROUND,
    CONSENT,
    FITTING,
    QUALIFICATION,
    RIGHT,
    SCREEN,
    TRAINING,
    WRONG,
    Walk,
    study_with_steps,
)

pytestmark = pytest.mark.quick
PILOT = {"key": "pilot", "kind": "pilot", "items": 1}


@pytest.fixture
def walk(client, owner, rater):
    def begin(*steps):
        client.force_login(rater)
        return Walk(client, study_with_steps(owner, rater, list(steps)))

    return begin


def test_nobody_who_chose_an_answer_about_themselves_is_bound_to_give_it(walk, rater):
    way = walk(BACKGROUND, SCREEN)
    choice = '<input type="radio" name="{}" value=""> I prefer not to say'
    assert choice.format("reply-age") in way.page().content.decode()
    way.post("background", **{"reply-age": ""})
    assert choice.format("reply-native") not in way.page().content.decode()
    assert not PersonalReply.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("step", "does", "says"),
    [
        (QUALIFICATION, lambda way: way.attempt("test", WRONG, WRONG), "You can try again from"),
        (SCREEN, lambda way: way.post("screen", **FITTING | {"reply-native": "no"}), "You cannot continue"),
        (PILOT, lambda way: way.attempt("pilot", RIGHT), "Their decision appears here."),
    ],
    ids=["to try again", "turned away", "waits"],
)
def test_the_home_page_says_why_nobody_can_continue_now(walk, step, does, says):
    way = walk(step)
    assert says not in way.client.get("/").content.decode()
    does(way)
    home = way.client.get("/").content.decode()
    assert says in home
    assert "/way-in/" not in home


def test_a_text_that_changed_is_said_to_have_changed(walk, owner):
    way = walk(CONSENT, SCREEN)
    changed = "This text has changed since you agreed to it."
    page = way.page().content.decode()
    assert "Step 1 of 2 before your first task" in page
    assert changed not in page
    way.consent()
    way.post("screen", **FITTING)
    change_steps(way.study, [CONSENT | {"text": "Another text."}, SCREEN], owner, seen=digest(way.study))
    page = way.page().content.decode()
    assert changed in page
    assert "before your first task" not in page
    assert "Before your next task, please look at something new." in way.client.get("/").content.decode()


def test_who_was_chosen_after_a_pilot_is_told_until_the_first_answer(walk, owner):
    way, chosen = walk(PILOT), "The researchers have chosen you."
    way.attempt("pilot", RIGHT)
    assert chosen not in way.client.get("/").content.decode()
    decide(StepPassage.objects.get(), "continue", owner, timezone.now())
    assert chosen in way.client.get("/").content.decode()
    way.client.post(f"{way.next()['Location']}submit/", {**RIGHT, "revision": "0"})
    assert Annotation.objects.filter(status="submitted").exists()
    assert chosen not in way.client.get("/").content.decode()


def test_passing_a_round_is_said_on_the_page_of_the_next_one(walk):
    way = walk(QUALIFICATION, QUALIFICATION | {"key": "second"})
    passed = "You have passed this part. Here is the next one."
    way.post("test")
    way.answer(RIGHT)
    assert passed not in way.client.get(f"{way.base}way-in/task/").content.decode()
    way.answer(RIGHT)
    assert passed in way.page().content.decode()
    way.attempt("second", WRONG, WRONG)
    assert passed not in way.page().content.decode()


def test_answers_to_compare_are_in_the_order_of_the_letters():
    question = Question(key="rank", type="rank", spec={"ranks": 3})
    sheet = Sheet.of(["z", "a", "m"], ["Z", "A", "M"], "D")
    assert in_words(question, {"m": 1, "z": 2, "a": 3}, sheet) == "A: 2, B: 3, C: 1"
    assert in_words(Question(key="spans", type="spans"), {"spans": []}, sheet) == "nothing marked"


def test_tasks_come_only_after_all_steps(walk, rater):
    way = walk(CONSENT, SCREEN, BACKGROUND, TRAINING, QUALIFICATION)
    home = way.client.get("/").content.decode()
    assert "few short steps" in home
    assert "/way-in/" in home
    mine = rater_for(way.study, rater)
    assert not mine.admitted
    assert next_assignment(way.study, mine) is None
    assert way.client.post(reverse("annotation:next_task", args=["study"]))["Location"].endswith("/way-in/")
    way.consent()
    way.post("screen", **FITTING)
    way.post("background", **{"reply-age": "25-34"})
    way.post("training")
    assert way.answer(RIGHT).status_code == 302
    assert way.client.get("/studies/study/way-in/task/")["Location"].endswith("/way-in/task/1/")
    assert "GOLD-REASON" in way.client.get("/studies/study/way-in/task/1/").content.decode()
    assert way.client.post("/studies/study/way-in/task/1/")["Location"].endswith("/way-in/")
    assert way.attempt("test", RIGHT, RIGHT) == "passed"
    mine.refresh_from_db()
    assert mine.admitted
    response = way.client.post(reverse("annotation:next_task", args=["study"]))
    assert Assignment.objects.get(rater=mine)
    assert str(Assignment.objects.get().key) in response["Location"]
    assert Consent.objects.get().version.number == 1
    assert PersonalReply.objects.filter(person=rater).count() == 4
    assert not Annotation.objects.exists()


def test_who_does_not_fit_is_told_kindly_and_not_why(walk):
    way = walk(SCREEN)
    way.post("screen", **FITTING | {"reply-degree": "none"})
    text = way.page().content.decode()
    assert "Thank you for your interest" in text
    assert "degree" not in text.lower()
    way.post("screen", **FITTING)
    assert [one.outcome for one in StepPassage.objects.all()] == ["failed"]


def test_a_screen_needs_all_its_answers(walk):
    way = walk(SCREEN)
    response = way.post("screen", **{"reply-native": "yes", "reply-degree": "of course", "reply-years": "many"})
    assert response.status_code == 422
    assert set(response.context["errors"]) == {"reply-degree", "reply-years"}
    assert not PersonalReply.objects.exists()


@pytest.mark.parametrize("rule", [{"fits": ["nurse", "doctor"]}, {"at_least": "nurse"}])
def test_in_a_screen_with_several_answers_each_must_fit(walk, rule):
    choices = ["none", "nurse", "doctor"]
    question = {"key": "work", "text": "What are you?", "choices": choices, "multiple": True, **rule}
    cases = (["nurse"], True), (["nurse", "doctor"], True), (["none", "nurse"], False), (choices, False), ([], False)
    assert [answer_fits(question, given) for given, _ in cases] == [fits for _, fits in cases]
    way = walk({**SCREEN, "questions": [question]})
    way.post("screen", **{"reply-work": choices})
    assert StepPassage.objects.get().outcome == "failed"


def test_a_qualification_fails_by_one_answer_too_few_and_may_be_repeated_after_a_while(walk):
    way = walk(QUALIFICATION)
    assert way.attempt("test", RIGHT, WRONG) == "failed"
    assert "You can try again from" in way.page().content.decode()
    way.post("test")
    assert StepPassage.objects.count() == 1
