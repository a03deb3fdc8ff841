"""A database that is away while a call is under way: its reply is kept all the same."""

import pytest
from django.db import OperationalError

from llm import calling, ledger, outlasting
from llm.asking import Charge
from llm.calling import complete
from llm.errors import ServerError
from llm.models import Call
from tests.llm.calls import answered, asked


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(outlasting, "EVERY", 0.01)
    monkeypatch.setattr(outlasting, "close_old_connections", lambda: None)  # the test goes on with its own
    monkeypatch.setattr(calling, "LOOK_EVERY", 0)


def away(*_):
    raise OperationalError("the connection is closed")


def failing_first(times, act, tried):
    """`act`, which fails that often before it is done."""

    def first_away(*given):
        tried.append(given)
        return act(*given) if len(tried) > times else away()

    return first_away


def test_a_call_goes_on_while_nobody_can_be_asked_whether_to_stop_or_shown_its_text(study, replies):
    asked_of = []

    def write(on_text, stopped):
        on_text("At")
        asked_of.append(stopped())
        return answered()

    def stopped():
        asked_of.append("asked")
        return away() if len(asked_of) > 1 else False  # the first time is before the call is begun

    replies(write)
    assert complete(asked(), Charge(study), on_text=away, stopped=stopped).text == "At nine."
    assert asked_of == ["asked", "asked", False]


@pytest.mark.parametrize(("reply", "status"), [(answered(), "answered"), (ServerError(), "failed")])
def test_what_came_of_a_call_is_written_when_the_database_is_back(study, replies, monkeypatch, reply, status):
    tried = []
    replies(reply)
    monkeypatch.setattr(ledger, "end", failing_first(3, ledger.end, tried))
    if status == "failed":
        with pytest.raises(ServerError):
            complete(asked(), Charge(study))
    else:
        complete(asked(), Charge(study))
    assert (Call.objects.get().status, len(tried)) == (status, 4)


def test_a_database_that_stays_away_is_told(study, replies, monkeypatch):
    tried = []
    monkeypatch.setattr(outlasting, "LONGEST", 0.05)
    monkeypatch.setattr(ledger, "end", failing_first(1000, ledger.end, tried))
    with pytest.raises(OperationalError):
        complete(asked(), Charge(study))
    assert 1 < len(tried) <= 6
