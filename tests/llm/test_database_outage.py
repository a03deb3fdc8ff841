"""A call survives an outage of the database, and its reply is stored."""

import pytest
from django.db import OperationalError

from llm import database_outage, door, ledger
from llm.call_errors import ServerError
from llm.door import complete
from llm.models import Call
from llm.requests import Charge
from tests.llm.calls import answered, asked


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(database_outage, "RETRY_EVERY", 0.01)
    monkeypatch.setattr(database_outage, "close_old_connections", lambda: None)  # the test keeps its own
    monkeypatch.setattr(door, "STOP_CHECK_EVERY", 0)


def away(*_):
    raise OperationalError("the connection is closed")


def failing_first(times, act, tried):
    """Return `act` failing that many times first."""

    def first_away(*given):
        tried.append(given)
        return act(*given) if len(tried) > times else away()

    return first_away


def test_a_call_continues_while_the_database_is_unavailable(study, replies):
    asked_of = []

    def write(on_text, stopped):
        on_text("At")
        asked_of.append(stopped())
        return answered()

    def stopped():
        asked_of.append("asked")
        return away() if len(asked_of) > 1 else False  # the first failure is before the call starts

    replies(write)
    assert complete(asked(), Charge(study), on_text=away, stopped=stopped).text == "At nine."
    assert asked_of == ["asked", "asked", False]


@pytest.mark.parametrize(("reply", "status"), [(answered(), "answered"), (ServerError(), "failed")])
def test_the_outcome_is_written_when_the_database_is_available_again(study, replies, monkeypatch, reply, status):
    tried = []
    replies(reply)
    monkeypatch.setattr(ledger, "end", failing_first(3, ledger.end, tried))
    if status == "failed":
        with pytest.raises(ServerError):
            complete(asked(), Charge(study))
    else:
        complete(asked(), Charge(study))
    assert (Call.objects.get().status, len(tried)) == (status, 4)


def test_a_long_database_outage_raises_its_error(study, replies, monkeypatch):
    tried = []
    monkeypatch.setattr(database_outage, "LONGEST_WAIT", 0.05)
    monkeypatch.setattr(ledger, "end", failing_first(1000, ledger.end, tried))
    with pytest.raises(OperationalError):
        complete(asked(), Charge(study))
    assert 1 < len(tried) <= 6
