"""Queued calls: one result, or one stated failure, whatever happens to the worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.background import claiming
from config.background.claiming import ask_to_stop, run_waiting
from config.background.work import works
from llm import calling, stopping
from llm.asking import Charge, Material, Source
from llm.errors import RefusedError, ServerError, StoppedError, UnknownModelError
from llm.limits import FAILURES_TO_OPEN
from llm.models import Call, Completion, EndpointState
from llm.queueing import queue, request_of
from tests.llm.calls import answered, asked


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """What would have gone through the broker."""
    told = []
    monkeypatch.setattr("llm.background.completing.KEEP_EVERY", 0)
    monkeypatch.setattr("config.background.waking.wake", lambda work, pk: told.append((work.key, pk)) or True)
    return told


def test_a_queued_call_is_made_once_and_its_result_kept(
    study, owner, replies, sent, django_capture_on_commit_callbacks
):
    scripted = replies()
    with django_capture_on_commit_callbacks(execute=True):
        row = queue(asked(temperature=0.2), Charge(study, run="run-1", person=owner, step="try"))
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


def test_a_request_comes_back_from_its_row_as_it_was(study, replies):
    material = Material("style", "When?", (Source(1, "Ferries", "At nine."),), "Before.", "Shorten it.")
    request = asked(material=material, seed=1, schema={"title": "time", "type": "object"}, top_logprobs=5)
    row = queue(request, Charge(study))
    row.refresh_from_db()
    assert request_of(row) == request


def test_an_unknown_model_is_refused_before_anything_is_queued(study, replies):
    with pytest.raises(UnknownModelError):
        queue(asked(model="campus/large"), Charge(study))
    assert not Completion.objects.exists()


@pytest.mark.parametrize("problem", [RefusedError(), ServerError()])
def test_check_42_check_43_a_failed_call_ends_in_one_stated_failure(study, replies, problem):
    replies(type(problem)(partial="At ni"))
    row = queue(asked(), Charge(study))
    run_waiting()
    row.refresh_from_db()
    assert (row.status, row.kind, row.reason, row.text, row.call) == (
        "failed", problem.kind, problem.reason, "At ni", None,
    )  # fmt: skip
    assert Call.objects.get().reason == problem.reason


def test_check_53_while_an_endpoint_pauses_its_calls_wait_and_use_up_no_attempt(study, replies):
    EndpointState.objects.create(
        name="campus", failures=FAILURES_TO_OPEN, pauses=1, message="campus pauses.",
        open_until=timezone.now() + timedelta(seconds=20),
    )  # fmt: skip
    row = queue(asked(), Charge(study))
    run_waiting()
    row.refresh_from_db()
    assert (row.status, row.attempt, row.reason) == ("queued", 0, "campus pauses.")
    assert timedelta(seconds=10) < row.due_at - timezone.now() <= timedelta(seconds=20)
    assert not Call.objects.exists()


def test_check_44_check_45_a_worker_killed_within_a_call_leaves_one_result_and_one_lost_call(study, replies):
    class KilledError(BaseException):
        pass

    def killed(on_text, stopped):
        on_text("At")
        raise KilledError

    work = works()["completion"]
    row = queue(asked(), Charge(study))
    replies(killed)
    real, calling.ledger.end = calling.ledger.end, lambda *_: None  # a killed process writes nothing more
    try:
        with pytest.raises(KilledError):
            claiming.do(work.key, row.pk)
    finally:
        calling.ledger.end = real
    row.refresh_from_db()
    assert (row.status, row.text) == ("running", "At")
    replies(answered())
    assert not claiming.do(work.key, row.pk)
    Completion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert run_waiting() == 1
    row.refresh_from_db()
    assert (row.status, row.text, row.attempt) == ("done", "At nine.", 2)
    assert sorted(Call.objects.values_list("status", flat=True)) == ["answered", "lost"]


def test_check_45_a_result_that_comes_after_the_lease_was_taken_over_is_not_written(study, replies):
    work = works()["completion"]
    row = queue(asked(), Charge(study))

    def slow(on_text, stopped):
        Completion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        replies(answered("by the second"))
        assert claiming.do(work.key, row.pk)
        return answered("by the first")

    replies(slow)
    assert claiming.do(work.key, row.pk)
    row.refresh_from_db()
    assert (row.status, row.text) == ("done", "by the second")
    assert sorted(Call.objects.values_list("status", "text")) == [("answered", "by the second"), ("lost", "")]


@pytest.mark.parametrize("whole_study", [True, False])
def test_check_50_a_stop_ends_a_call_within_its_stream(study, owner, replies, monkeypatch, whole_study):
    monkeypatch.setattr(calling, "LOOK_EVERY", 0)
    row = queue(asked(), Charge(study))

    def write(on_text, stopped):
        on_text("At")
        assert not stopped()
        if whole_study:
            stopping.stop(study, owner)
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
