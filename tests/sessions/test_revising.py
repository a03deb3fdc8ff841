"""The steps of a person in a session: nothing is lost, duplicated, or done when it is not due."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import save_draft
from annotation.desk.submitting import KeyReusedError, StaleRevisionError, StudyClosedError
from annotation.members.membership import rater_for
from annotation.models import Annotation, DraftConflict, Rating, Slot, Study
from annotation.protocols import AnswersInvalidError
from config.background.claiming import run_waiting
from sessions import steps
from sessions.locked_session import StepRefusedError, TurnConflictError, assignment_of
from sessions.models import RevisionSession, Turn
from tests.sessions.conftest import expire, instruct, rate, turned, where

pytestmark = pytest.mark.django_db


def test_an_instruction_is_kept_before_the_model_is_called(session, models):
    asked = len(models.requests)
    turn = instruct(session, "Shorter.")
    assert (turn.number, turn.status, len(models.requests)) == (1, "queued", asked)
    assert where(session).due == "wait"
    run_waiting()
    assert (where(session).due, len(models.requests)) == ("rate", asked + 1)


def test_the_same_instruction_sent_again_is_one_turn(session, models):
    key = uuid4()
    turns = {instruct(session, "Shorter.", number=1, key=key).pk for _ in range(5)}
    run_waiting()
    turns.add(instruct(session, "Shorter.", number=1, key=key).pk)
    assert len(turns) == 1
    with pytest.raises(KeyReusedError):
        instruct(session, "Longer.", number=1, key=key)


def test_a_second_window_gets_a_conflict_and_its_text_is_kept(session, models):
    instruct(session, "Shorter.", number=1)
    with pytest.raises(TurnConflictError):
        instruct(session, "Longer.", number=1)
    assert DraftConflict.objects.get().body == {"instruction": ["Longer."], "kind": ["style"]}
    run_waiting()
    rate(session, "good")
    with pytest.raises(TurnConflictError):  # a page from before, found again with the back button
        instruct(session, "Longer.", number=1)
    assert session.turns.filter(number=1).count() == 1


def test_the_database_refuses_a_second_turn_with_the_same_number(session, models):
    with pytest.raises(IntegrityError), transaction.atomic():
        Turn.objects.create(session=session, number=0, kind="first")


@pytest.mark.parametrize(("kind", "text"), [("first", "x"), ("", "x"), ("style", "  \n")])
def test_an_instruction_without_kind_or_text_is_refused(session, kind, text):
    with pytest.raises(StepRefusedError):
        instruct(session, text, kind)
    assert session.turns.count() == 1


def test_rating_and_comment_are_both_required(session, models):
    instruct(session, "Shorter.")
    run_waiting()
    for form in ({"q-rating": ["good"]}, {"q-comment": ["Why."]}):
        with pytest.raises(AnswersInvalidError):
            steps.rate(session, 1, steps.Submission(form, 0, 1))
    assert where(session).due == "rate"
    assert not Annotation.objects.exists()


def test_a_rating_is_an_answer_like_any_other(session, models, rater):
    turn = turned(session, "Shorter.", "neutral", edited="By hand.")
    answer = turn.annotation
    assert (answer.task_id, answer.surplus, answer.guidelines_version, answer.rater.person) == (
        turn.task_id, False, 1, rater
    )  # fmt: skip
    assert answer.opened_at == turn.ended_at
    rows = Rating.objects.filter(annotation=answer).values_list("question__key", "value", "level", "variant")
    variant = f"turn:{session.key}:1"
    assert set(rows) == {("rating", "neutral", "nominal", variant), ("comment", "Because.", "text", variant)}
    assert not Slot.objects.filter(task=turn.task).exists()


def test_a_rating_is_revised_until_the_next_turn(session, models):
    turned(session, "Shorter.", "neutral", edited="By hand.")
    with pytest.raises(StaleRevisionError):
        rate(session, "bad", number=1, revision=0)
    again = rate(session, "good", number=1, revision=1)
    assert again.revision == 2
    turn = session.turns.get(number=1)
    assert (turn.annotation, turn.edited_answer) == (again, None)
    assert {"edit": ["By hand."]} in [kept.body for kept in DraftConflict.objects.all()]
    instruct(session, "Longer.")
    with pytest.raises(TurnConflictError):
        rate(session, "bad", number=1, revision=2)


def test_only_answers_not_rated_good_are_edited_and_only_by_one_window(session, models):
    turn = turned(session, "Shorter.", "good")
    with pytest.raises(StepRefusedError):
        steps.edit(session, 1, "By hand.", 0)
    rate(session, "bad", number=1, revision=1)
    steps.edit(session, 1, "By hand.", 0)
    steps.edit(session, 1, "By hand.", 0)
    with pytest.raises(TurnConflictError):
        steps.edit(session, 1, "By another hand.", 0)
    assert where(session).current == "By hand."
    steps.edit(session, 1, turn.answer, 1)  # the model's own words are no edit
    assert (where(session).current_of, session.turns.get(number=1).edited_answer) == (0, None)


def test_ready_needs_a_rated_turn_and_fills_the_slot(session, models):
    with pytest.raises(StepRefusedError, match="Rate at least one"):
        steps.finish(session)
    turned(session, "Shorter.", "bad")
    assert where(session).current_of == 0
    ended = steps.finish(session)
    assert steps.finish(session).ended_at == ended.ended_at
    assert (ended.status, session.task.slots.get().state) == ("satisfied", "filled")
    with pytest.raises(StepRefusedError):
        steps.edit(session, 1, "Too late.", 0)
    with pytest.raises(TurnConflictError):
        instruct(session, "Too late.", number=2)


def test_a_draft_is_kept_with_the_session_and_removed_when_it_is_sent(session, models):
    assignment = assignment_of(session)
    version = save_draft(assignment, {"instruction": ["Shor"]}, base_version=assignment.draft_version, revision=0)
    assert assignment_of(session).draft == {"instruction": ["Shor"]}
    instruct(session, "Shorter.")
    assert (assignment_of(session).draft, assignment_of(session).draft_version) == (None, version + 1)


def test_an_expired_session_frees_its_question_for_others_but_not_for_its_user(session, models, rater, study):
    expire(session)
    session.refresh_from_db()
    assert (session.status, session.task.slots.get().state) == ("abandoned", "open")
    other = next_assignment(study, rater_for(study, rater))
    assert other.task.item != session.item


def test_an_expired_session_is_abandoned_and_can_be_continued(session, models):
    turned(session, "Shorter.", "good")
    expire(session)
    session.refresh_from_db()
    assert session.status == "abandoned"
    with pytest.raises(TurnConflictError):
        instruct(session, "Longer.", number=1)
    assert instruct(session, "Longer.", number=2).number == 2
    session.refresh_from_db()
    assert (session.status, session.task.slots.get().state) == ("active", "held")


def test_a_rating_after_the_lease_ended_is_kept(session, models, study, rater):
    instruct(session, "Shorter.")
    run_waiting()
    expire(session)
    someone = session.rater
    someone.pk, someone.name, someone.person = None, "somebody", None
    someone.save()
    Slot.objects.filter(task=session.task).update(state="held", holder=someone, lease_until=timezone.now())
    assert rate(session, "good", number=1).status == "submitted"
    with pytest.raises(StepRefusedError, match="another annotator"):
        instruct(session, "Longer.", number=2)


def test_a_closed_study_accepts_no_more_turns(session, models, study):
    Study.objects.filter(pk=study.pk).update(status="closed")
    with pytest.raises(StudyClosedError):
        instruct(session, "Shorter.")
    assert RevisionSession.objects.get().turns.count() == 1


def test_the_database_refuses_to_change_instructions_and_answers(session, models):
    turn = turned(session, "Shorter.", "bad")
    turns = Turn.objects.filter(pk=turn.pk)
    for change in (
        {"instruction": "Longer."},
        {"answer": "Better."},
        {"previous_answer": "x"},
        {"kind": "information"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            turns.update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        RevisionSession.objects.filter(pk=session.pk).update(model="another/model")
    assert turns.update(edited_answer="By hand.") == 1


@pytest.mark.parametrize("step", ["submit_task", "skip_task", "flag_task", "undo_task"])
def test_the_desk_accepts_no_answers_about_sessions_or_their_own_turns(session, models, rater, client, step):
    turn = turned(session, "Shorter.", "good")
    client.force_login(rater)
    for key in session.task.assignments.get().key, turn.task.assignments.get().key:
        assert client.post(reverse(f"annotation:{step}", args=[key]), {"reason": "x", "revision": 1}).status_code == 404
        page = client.get(reverse("annotation:desk", args=[key]))
        assert page["Location"] == reverse("revision_sessions:session", args=[session.task.assignments.get().key])
    assert Annotation.objects.count() == 1
