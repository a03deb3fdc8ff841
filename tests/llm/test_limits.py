"""Limits on calls: places, requests per minute, pauses, context length."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from llm import door, limits
from llm.call_errors import CircuitOpenError, EndpointBusyError, RateLimitedError, ServerError
from llm.door import LostError, complete
from llm.limits import estimate_tokens
from llm.models import Call, EndpointState
from llm.requests import Charge, Message
from tests.llm.calls import answered, asked, together, write_endpoints

pytestmark = pytest.mark.both


def test_an_endpoint_never_has_more_running_calls_than_it_allows(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    monkeypatch.setattr(door, "LONGEST_WAIT", 30)
    write_endpoints(settings, tmp_path, in_flight=3)
    scripted = replies(seconds=0.05)
    results = together(20, lambda number: complete(asked(f"question {number}"), Charge(study)))
    assert [one for one in results if isinstance(one, Exception)] == []
    assert scripted.most <= 3
    assert Call.objects.filter(status="answered").count() == 20


def test_a_call_without_a_free_place_returns_to_the_queue_and_leaves_no_row(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(door, "LONGEST_WAIT", 0.2)

    def meanwhile(on_text, stopped):
        with pytest.raises(EndpointBusyError) as raised:
            complete(asked(), Charge(study))
        assert raised.value.retry_after == door.PUT_BACK_FOR
        return answered()

    replies(meanwhile)
    complete(asked(), Charge(study))
    assert Call.objects.count() == 1


def test_the_place_of_a_killed_worker_becomes_free_when_the_lease_ends(study, replies, settings, tmp_path, monkeypatch):
    from datetime import timedelta

    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(door, "LONGEST_WAIT", 0.1)
    complete(asked(), Charge(study))
    values = Call.objects.values().get()
    left = {"id": None, "status": "running", "ended_at": None, "price_charged": None}
    soon = timezone.now() + timedelta(seconds=30)
    killed = Call.objects.create(**{**values, **left, "lease_until": soon})
    with pytest.raises(EndpointBusyError):
        complete(asked(), Charge(study))
    Call.objects.filter(pk=killed.pk).update(lease_until=timezone.now() - timedelta(minutes=1))
    complete(asked(), Charge(study))


def test_repeated_work_gets_the_place_of_its_lost_call_at_once(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(door, "LONGEST_WAIT", 0.1)

    def killed(on_text, stopped):
        with pytest.raises(EndpointBusyError):
            complete(asked(), Charge(study, work="turn:2"))
        replies(answered())
        complete(asked(), Charge(study, work="turn:1"))
        return answered()

    replies(killed)
    with pytest.raises(LostError):
        complete(asked(), Charge(study, work="turn:1"))
    assert sorted(Call.objects.values_list("status", flat=True)) == ["answered", "lost"]


def test_requests_per_minute_are_limited_across_workers_and_count_every_attempt(
    study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, more="requests_per_minute: 4")
    monkeypatch.setattr(door, "LONGEST_WAIT", 0.1)
    first = answered()
    twice = answered(attempts=first.attempts * 2)
    replies(twice)
    complete(asked(), Charge(study))
    replies(first)
    complete(asked(), Charge(study), cache=True)
    complete(asked(), Charge(study))
    complete(asked(), Charge(study))
    complete(asked(), Charge(study), cache=True)
    with pytest.raises(EndpointBusyError) as raised:
        complete(asked(), Charge(study))
    assert 50 < raised.value.retry_after <= 60
    assert Call.objects.exclude(status="cached").count() == 3
    monkeypatch.setattr(limits, "MINUTE", limits.MINUTE * 0)
    complete(asked(), Charge(study))


def test_endpoints_do_not_block_each_other(study, replies):
    EndpointState.objects.create(name="elsewhere", failures=9, pauses=1)
    complete(asked(), Charge(study))
    assert set(EndpointState.objects.values_list("name", flat=True)) == {"campus", "elsewhere"}


def test_simultaneous_failures_cause_one_pause(transactional_db, study, replies, settings, tmp_path):
    write_endpoints(settings, tmp_path, in_flight=20)
    barrier = threading.Barrier(12)

    def fail(on_text, stopped):
        barrier.wait(timeout=20)
        return ServerError()

    replies(fail)
    together(12, lambda number: complete(asked(), Charge(study)))
    state = EndpointState.objects.get()
    assert (state.failures, state.pauses) == (12, 1)


def test_a_call_takes_two_short_transactions_and_few_queries(study, replies, django_assert_max_num_queries):
    complete(asked(), Charge(study))
    with django_assert_max_num_queries(20) as taken:
        complete(asked(), Charge(study, run="run-1", work="turn:1"))
    begun = [one["sql"] for one in taken.captured_queries if one["sql"].startswith(("BEGIN", "SAVEPOINT"))]
    assert len(begun) == 2, connection.vendor


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 8, 8),
        ("The ferry sails at nine o'clock from the north pier.", 13 + 8, 26 + 8),
        ("Паром отходит в девять часов.", 8 + 8, 40 + 8),
        ("渡轮九点开船。", 7 + 8, 14 + 8),
        ("12345678", 8 + 8, 8 + 8),
        ("👩‍👩‍👧", 10 + 8, 14 + 8),
        ("\ud83d", 2 + 8, 2 + 8),
    ],
)
def test_tokens_are_estimated_on_the_high_side(text, least, most):
    assert least <= estimate_tokens((Message("user", text),)) <= most


def test_calls_that_wait_for_a_probe_retry_soon(study, replies, settings, tmp_path):
    write_endpoints(settings, tmp_path, deadline=120)
    past = timezone.now() - limits.MINUTE
    EndpointState.objects.create(name="campus", failures=5, pauses=1, message="campus pauses.", open_until=past)

    def meanwhile(on_text, stopped):
        with pytest.raises(CircuitOpenError) as raised:
            complete(asked(), Charge(study))
        assert raised.value.retry_after <= limits.PROBE_WAIT
        return answered()

    replies(meanwhile)
    complete(asked(), Charge(study))
    assert EndpointState.objects.get().open_until is None


RUN, PERSON = {"run": "judge/1"}, {}


def test_calls_of_runs_never_take_the_places_of_people(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, in_flight=1, more="requests_per_minute: 1")
    monkeypatch.setattr(door, "LONGEST_WAIT", 0.2)

    def meanwhile(on_text, stopped):
        assert complete(asked("of a person"), Charge(study, **PERSON)).text
        return answered()

    replies(meanwhile, answered())
    complete(asked(), Charge(study, **RUN))
    with pytest.raises(EndpointBusyError):  # all calls of the minute count for a run
        complete(asked("another"), Charge(study, **RUN))
    with pytest.raises(EndpointBusyError):
        complete(asked("another"), Charge(study, **PERSON))


def test_what_fails_for_runs_does_not_pause_people_s_calls(study, replies):
    replies(*[ServerError(outcome=answered(text=""))] * limits.FAILURES_TO_OPEN, answered())
    for number in range(limits.FAILURES_TO_OPEN):
        with pytest.raises(ServerError):
            complete(asked(f"question {number}"), Charge(study, **RUN))
    with pytest.raises(CircuitOpenError):
        complete(asked(), Charge(study, **RUN))
    assert complete(asked(), Charge(study, **PERSON)).text
    assert EndpointState.objects.get(lane="runs").open_until > timezone.now()
    assert not EndpointState.objects.filter(lane="people", failures__gt=0).exists()


def test_a_pause_is_as_long_as_the_endpoint_demands(study, replies):
    replies(RateLimitedError(outcome=answered(text=""), retry_after=600.0))
    for number in range(limits.FAILURES_TO_OPEN):
        with pytest.raises(RateLimitedError):
            complete(asked(f"question {number}"), Charge(study, **RUN))
    left = (EndpointState.objects.get().open_until - timezone.now()).total_seconds()
    assert 590 < left <= 600
