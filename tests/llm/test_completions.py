"""Queued calls have one result or one failure with its reason, whatever happens to the worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.background import claiming
from config.background.claiming import ask_to_stop, run_waiting
from config.background.kinds import works
from llm import door, stop_marks
from llm.call_errors import BudgetError, RefusedError, ServerError, StoppedError, UnknownModelError, UnsupportedError
from llm.completions import queue_completion, request_of
from llm.limits import FAILURES_TO_OPEN
from llm.models import Call, Completion, EndpointState
from llm.requests import AnswerMaterial, Charge, JudgmentPlace, Message, Request, SourcePassage
from tests.llm.calls import answered, asked


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The messages that would have gone to the broker."""
    told = []
    monkeypatch.setattr("llm.background.completion_work.STORE_EVERY", 0)
    monkeypatch.setattr("config.background.waking.wake", lambda work, pk: told.append((work.key, pk)) or True)
    return told


def test_a_queued_call_is_made_once_and_its_reply_stored(
    study, owner, replies, sent, django_capture_on_commit_callbacks
):
    scripted = replies()
    with django_capture_on_commit_callbacks(execute=True):
        row = queue_completion(asked(temperature=0.2), Charge(study, run="run-1", person=owner, step="try"))
    assert sent == [("completion", row.pk)]
    assert run_waiting() == 1
    row.refresh_from_db()
    assert (row.status, row.text, row.reason, row.kind) == ("done", "At nine.", "", "")
    call = row.call
    assert (call.study, call.run, call.person, call.step, call.work) == (
        study, "run-1", owner, "try", f"completion:{row.pk}",
    )  # fmt: skip
    assert run_waiting() == 0
    assert scripted.asked == [asked(temperature=0.2)]


def test_a_request_is_restored_from_its_row(study, replies):
    material = AnswerMaterial("style", "When?", (SourcePassage(1, "Ferries", "At nine."),), "Before.", "Shorten it.")
    schema, place = {"title": "time", "type": "object"}, JudgmentPlace(2, 3, 1, 2, ("b", "a"))
    for request in (
        asked(model="campus/able", material=material, seed=1, schema=schema, top_logprobs=5, stop=("\n",), top_p=None),
        asked(model="campus/base", continuation=" Yes", place=place),
        Request("campus/small", (Message("user", "When?"),)),
    ):
        row = queue_completion(request, Charge(study))
        row.refresh_from_db()
        assert request_of(row) == request


def test_a_request_that_the_model_cannot_answer_is_refused_before_anything_is_queued(study, replies):
    with pytest.raises(UnsupportedError, match="campus/small is configured without log-probabilities"):
        queue_completion(asked(top_logprobs=2), Charge(study))
    assert not Completion.objects.exists()


def test_an_unknown_model_is_refused_before_anything_is_queued(study, replies):
    with pytest.raises(UnknownModelError):
        queue_completion(asked(model="campus/large"), Charge(study))
    assert not Completion.objects.exists()


@pytest.mark.parametrize("problem", [RefusedError(), ServerError()])
def test_a_failed_call_has_one_failure_with_its_reason(study, replies, problem):
    replies(type(problem)(partial="At ni"))
    row = queue_completion(asked(), Charge(study))
    run_waiting()
    row.refresh_from_db()
    assert (row.status, row.kind, row.reason, row.text, row.call) == (
        "failed", problem.kind, problem.reason, "At ni", None,
    )  # fmt: skip
    assert Call.objects.get().reason == problem.reason


def test_calls_to_a_paused_endpoint_wait_without_using_up_attempts(study, replies):
    EndpointState.objects.create(
        name="campus", failures=FAILURES_TO_OPEN, pauses=1, message="campus pauses.",
        open_until=timezone.now() + timedelta(hours=1),
    )  # fmt: skip
    row = queue_completion(asked(), Charge(study))
    run_waiting()
    row.refresh_from_db()
    assert (row.status, row.attempt, row.reason) == ("queued", 0, "campus pauses.")
    assert timedelta(minutes=30) < row.due_at - timezone.now() <= timedelta(hours=1)
    assert not Call.objects.exists()


def test_a_call_of_a_killed_worker_is_lost_and_made_again_once(study, replies):
    class KilledError(BaseException):
        pass

    def killed(on_text, stopped):
        on_text("At")
        raise KilledError

    work = works()["completion"]
    row = queue_completion(asked(), Charge(study))
    replies(killed)
    real, door.ledger.end = door.ledger.end, lambda *_: None  # a killed process writes nothing more
    try:
        with pytest.raises(KilledError):
            claiming.process_row(work.key, row.pk)
    finally:
        door.ledger.end = real
    row.refresh_from_db()
    assert (row.status, row.text) == ("running", "At")
    replies(answered())
    assert not claiming.process_row(work.key, row.pk)
    Completion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert run_waiting() == 1
    row.refresh_from_db()
    assert (row.status, row.text, row.attempt) == ("done", "At nine.", 2)
    assert sorted(Call.objects.values_list("status", flat=True)) == ["answered", "lost"]


def test_a_worker_that_lost_its_lease_writes_no_result(study, replies):
    work = works()["completion"]
    row = queue_completion(asked(), Charge(study))

    def slow(on_text, stopped):
        Completion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        replies(answered("by the second"))
        assert claiming.process_row(work.key, row.pk)
        return answered("by the first")

    replies(slow)
    assert claiming.process_row(work.key, row.pk)
    row.refresh_from_db()
    assert (row.status, row.text) == ("done", "by the second")
    assert sorted(Call.objects.values_list("status", "text")) == [("answered", "by the second"), ("lost", "")]


@pytest.mark.parametrize("whole_study", [True, False])
def test_a_stop_ends_a_streaming_call(study, owner, replies, monkeypatch, whole_study):
    monkeypatch.setattr(door, "STOP_CHECK_EVERY", 0)
    row = queue_completion(asked(), Charge(study))

    def write(on_text, stopped):
        on_text("At")
        assert not stopped()
        if whole_study:
            stop_marks.stop(study, owner)
        else:
            ask_to_stop(works()["completion"], row)
        assert stopped()
        return StoppedError(partial="At", outcome=answered("At", tokens=None))

    replies(write)
    run_waiting()
    row.refresh_from_db()
    assert row.status == ("failed" if whole_study else "stopped")
    assert row.text == "At"
    assert row.reason
    assert Call.objects.get().status == "stopped"


def test_a_call_asks_again_for_a_budget_that_others_have_only_reserved(study, replies):
    problem = BudgetError()
    problem.passing = True
    replies(problem, answered())
    row = queue_completion(asked(), Charge(study))
    assert run_waiting() == 1
    row.refresh_from_db()
    assert (row.status, row.kind) == ("queued", "")
    Completion.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    run_waiting()
    row.refresh_from_db()
    assert (row.status, row.text) == ("done", "At nine.")
