"""What holds calls back: places, requests a minute, pauses, the context's length."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from llm import calling, limits
from llm.asking import Charge, Message
from llm.calling import LostError, complete
from llm.errors import BusyError, CircuitOpenError, ServerError
from llm.limits import estimated_tokens
from llm.models import Call, EndpointState
from tests.llm.calls import answered, asked, together, write_endpoints


def test_check_53_an_endpoint_has_no_more_calls_under_way_than_it_allows(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    monkeypatch.setattr(calling, "LONGEST_WAIT", 30)
    write_endpoints(settings, tmp_path, in_flight=3)
    scripted = replies(seconds=0.05)
    results = together(20, lambda number: complete(asked(f"question {number}"), Charge(study)))
    assert [one for one in results if isinstance(one, Exception)] == []
    assert scripted.most <= 3
    assert Call.objects.filter(status="answered").count() == 20


def test_check_53_a_call_that_finds_no_place_is_put_back_and_leaves_no_row(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(calling, "LONGEST_WAIT", 0.2)

    def meanwhile(on_text, stopped):
        with pytest.raises(BusyError) as raised:
            complete(asked(), Charge(study))
        assert raised.value.retry_after == calling.PUT_BACK_FOR
        return answered()

    replies(meanwhile)
    complete(asked(), Charge(study))
    assert Call.objects.count() == 1


def test_the_place_of_a_killed_worker_is_free_after_the_lease(study, replies, settings, tmp_path, monkeypatch):
    from datetime import timedelta

    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(calling, "LONGEST_WAIT", 0.1)
    complete(asked(), Charge(study))
    values = Call.objects.values().get()
    left = {"id": None, "status": "running", "ended_at": None, "price_charged": None}
    soon = timezone.now() + timedelta(seconds=30)
    killed = Call.objects.create(**{**values, **left, "lease_until": soon})
    with pytest.raises(BusyError):
        complete(asked(), Charge(study))
    Call.objects.filter(pk=killed.pk).update(lease_until=timezone.now())
    complete(asked(), Charge(study))


def test_check_44_work_that_is_begun_again_has_the_place_of_its_killed_call_at_once(
    transactional_db, study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, in_flight=1)
    monkeypatch.setattr(calling, "LONGEST_WAIT", 0.1)

    def killed(on_text, stopped):
        with pytest.raises(BusyError):
            complete(asked(), Charge(study, work="turn:2"))
        replies(answered())
        complete(asked(), Charge(study, work="turn:1"))
        return answered()

    replies(killed)
    with pytest.raises(LostError):
        complete(asked(), Charge(study, work="turn:1"))
    assert sorted(Call.objects.values_list("status", flat=True)) == ["answered", "lost"]


def test_check_53_requests_a_minute_hold_over_all_workers_and_count_each_sending(
    study, replies, settings, tmp_path, monkeypatch
):
    write_endpoints(settings, tmp_path, more="requests_per_minute: 4")
    monkeypatch.setattr(calling, "LONGEST_WAIT", 0.1)
    first = answered()
    twice = answered(attempts=first.attempts * 2)
    replies(twice)
    complete(asked(), Charge(study))
    replies(first)
    complete(asked(), Charge(study), cache=True)
    complete(asked(), Charge(study))
    complete(asked(), Charge(study))
    complete(asked(), Charge(study), cache=True)
    with pytest.raises(BusyError) as raised:
        complete(asked(), Charge(study))
    assert 50 < raised.value.retry_after <= 60
    assert Call.objects.exclude(status="cached").count() == 3
    monkeypatch.setattr(limits, "MINUTE", limits.MINUTE * 0)
    complete(asked(), Charge(study))


def test_endpoints_do_not_hold_each_other_back(study, replies):
    EndpointState.objects.create(name="elsewhere", failures=9, pauses=1)
    complete(asked(), Charge(study))
    assert set(EndpointState.objects.values_list("name", flat=True)) == {"campus", "elsewhere"}


def test_failures_of_many_calls_at_once_make_one_pause(transactional_db, study, replies, settings, tmp_path):
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
def test_tokens_are_reckoned_on_the_high_side(text, least, most):
    assert least <= estimated_tokens((Message("user", text),)) <= most


def test_check_53_who_waits_for_the_call_that_goes_ahead_looks_again_soon(study, replies, settings, tmp_path):
    write_endpoints(settings, tmp_path, deadline=120)
    past = timezone.now() - limits.MINUTE
    EndpointState.objects.create(name="campus", failures=5, pauses=1, message="campus pauses.", open_until=past)

    def meanwhile(on_text, stopped):
        with pytest.raises(CircuitOpenError) as raised:
            complete(asked(), Charge(study))
        assert raised.value.retry_after <= limits.PROBED_FOR
        return answered()

    replies(meanwhile)
    complete(asked(), Charge(study))
    assert EndpointState.objects.get().open_until is None
