"""Looks: taken by workers at the planned numbers, kept as evidence, and ending the study."""

import json

import pytest
from django.db import DatabaseError, transaction

from annotation.members.rater_erasure import erase_rater
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, pause
from annotation.studies.study_erasure import erase_study
from config.background.claiming import process_row
from parts.preregistration.plan_facts import plan_facts
from parts.stopping.background.taking_looks import WORK
from parts.stopping.fixing import continue_study
from parts.stopping.looking import due_look, queue_due_looks
from parts.stopping.models import StopContinuation, StopLook, StopPlan
from reports.figures.agreement_report import agreement_report
from tests.parts.stopping.stop_studies import STOPPING, annotator, answer, stopping_study

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
NARROW = {"looks": [12, 18], "rules": [{"figure": "score", "question": "how_well", "until": "width", "width": 0.001}]}
PAGE = "/studies/stopped/stop-rules/"


def look_now():
    """Let the workers' upkeep queue what is due, and take it; the newest look."""
    if queue_due_looks():
        assert process_row(WORK.key, StopLook.objects.get(status="queued").pk)
    return StopLook.objects.order_by("-number").first()


def answered(stopping, count):
    study, owner = stopping_study(stopping)
    rater = annotator(study, "ann")
    for number in range(count):
        assert answer(study, rater, str(1 + number % 5))
    return study, owner, rater


def test_the_plan_is_fixed_when_the_study_first_goes_live_and_cannot_be_changed():
    study, owner = stopping_study()
    plan = StopPlan.objects.get(study=study)
    assert plan.in_time
    assert json.loads(plan.body) == STOPPING
    pause(study, owner)
    make_live(study, owner)
    assert StopPlan.objects.count() == 1
    for change in ({"body": "{}"}, {"in_time": False}):
        with pytest.raises(DatabaseError), transaction.atomic():
            StopPlan.objects.update(**change)
    assert any("at most 30 wide" in sentence for sentence in plan_facts(study)["stopping"])


def test_no_look_before_its_number_and_one_for_numbers_passed_together():
    study, _, rater = answered({**NARROW, "looks": [4, 12, 18]}, 3)
    assert look_now() is None
    for _ in range(10):
        answer(study, rater)
    look = look_now()
    assert (look.number, look.planned, look.answers, look.decision) == (1, 12, 13, "continue")
    assert look_now().pk == look.pk


def test_a_rule_that_is_met_pauses_the_study_and_the_report_says_when_and_why(client):
    study, owner, _ = answered({**STOPPING, "looks": [10, 16]}, 10)
    look = look_now()
    assert (look.decision, look.answers) == ("stop", 10)
    rule = look.figures["rules"][0]
    assert rule["items"] == 10
    assert all(row["width"] <= 30 for row in rule["targets"])
    study.refresh_from_db()
    assert study.status == "paused"
    told = agreement_report(study, replicates=0)["stopping"]
    assert (told["ended"]["look"], told["ended"]["decision"], len(told["looks"])) == (1, "stop", 1)
    client.force_login(owner)
    shown = client.get(PAGE).content.decode()
    for text in ("The rules were met at look 1", "after 10 answers", "Continue the study"):
        assert text in shown, text


def test_the_last_look_ends_a_study_whose_rules_are_not_met():
    study, _, rater = answered(NARROW, 12)
    assert look_now().decision == "continue"
    for number in range(6):
        answer(study, rater, str(1 + number % 5))
    assert look_now().decision == "end"
    study.refresh_from_db()
    assert study.status == "paused"
    assert queue_due_looks() == 0


def test_going_on_needs_a_reason_which_is_kept(client):
    study, owner, rater = answered({**STOPPING, "looks": [10, 16]}, 10)
    look_now()
    study.refresh_from_db()
    with pytest.raises(StudyRefusedError, match="stop rule"):
        make_live(study, owner)
    client.force_login(owner)
    assert client.post(f"{PAGE}continue/", {"reason": "  "}).status_code == 422
    assert client.post(f"{PAGE}continue/", {"reason": "A reviewer asked."}).status_code == 302
    study.refresh_from_db()
    assert study.is_live
    assert agreement_report(study, replicates=0)["stopping"]["ended"]["reason"] == "A reviewer asked."
    assert "A reviewer asked." in client.get(PAGE).content.decode()
    for _ in range(8):
        answer(study, rater)
    assert queue_due_looks() == 0
    with pytest.raises(StudyRefusedError):
        continue_study(study, "Again.", owner)
    with pytest.raises(DatabaseError), transaction.atomic():
        StopContinuation.objects.update(reason="")


def test_the_database_keeps_a_finished_look():
    answered(NARROW, 12)
    look = look_now()
    for change in ({"decision": "stop"}, {"figures": {}}, {"answers": 1}):
        with pytest.raises(DatabaseError), transaction.atomic():
            StopLook.objects.filter(pk=look.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        StopLook.objects.filter(pk=look.pk).delete()


def test_opening_the_page_takes_no_look(client):
    _, owner, _ = answered(NARROW, 12)
    client.force_login(owner)
    assert "due after 12 answers" in client.get(PAGE).content.decode()
    assert not StopLook.objects.exists()


def test_without_answers_in_time_no_look_is_taken():
    study, _, _ = answered(NARROW, 12)
    plan = StopPlan.objects.get(study=study)
    assert plan.in_time
    plan.in_time = False
    assert due_look(plan, 12) is None


def test_erasing_a_rater_empties_the_figures_of_looks_and_erasing_the_study_takes_all(client):
    study, owner, rater = answered(NARROW, 12)
    look_now()
    erase_rater(rater, owner, keep_answers=False)
    look = StopLook.objects.get()
    assert (look.figures, look.answers, look.decision) == ({}, 12, "continue")
    client.force_login(owner)
    assert "removed with the answers" in client.get(PAGE).content.decode()
    Study.objects.filter(pk=study.pk).update(status="closed")
    erase_study(Study.objects.get(pk=study.pk), owner)
    assert not StopPlan.objects.exists()


def test_a_look_that_failed_is_tried_again_by_a_press(client, monkeypatch):
    _, owner, _ = answered(NARROW, 12)
    assert queue_due_looks() == 1
    StopLook.objects.update(status="failed", reason="The disk was full.", ended_at="2026-01-01T00:00Z")
    assert queue_due_looks() == 0
    client.force_login(owner)
    assert "The disk was full." in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}again/").status_code == 302
    assert process_row(WORK.key, StopLook.objects.get().pk)
    assert StopLook.objects.get().status == "done"


def test_annotators_see_nothing_of_it(client):
    _, _, rater = answered(NARROW, 1)
    client.force_login(rater.person)
    assert client.get(PAGE).status_code == 404
