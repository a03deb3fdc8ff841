"""Rating with a database on another host; `python -m tests.load.latency` gives the full figures."""

from argparse import Namespace

import pytest

from tests.load.latency import cells, trial
from tests.load.relay import ClientMessages, WireCounts
from tests.load.test_race import server_under_test

PAGE, SUBMIT = 3, 11
"""Round trips of a page, and of an answer with the next claim."""


def message(kind, body=b""):
    return kind + (len(body) + 4).to_bytes(4) + body


def test_the_relay_counts_statements_and_round_trips():
    counts = WireCounts()
    client = ClientMessages(counts)
    start = message(b"", (196608).to_bytes(4) + b"user\0me\0\0")
    client.sent(message(b"", (80877103).to_bytes(4)))  # asks for TLS
    client.answered(b"N")
    client.sent(start[:5])
    client.sent(start[5:])
    client.answered(b"R")
    assert (counts.trips, counts.statements) == (2, 0)
    together = message(b"P", b"Q") + message(b"B") + message(b"E") + message(b"B") + message(b"E") + message(b"S")
    client.sent(together)
    client.answered(b"C")
    client.sent(message(b"Q", b"COMMIT\0"))
    assert (counts.trips, counts.statements) == (4, 3)


@pytest.mark.postgresql
@pytest.mark.thorough
def test_over_a_network_nothing_is_lost_and_an_answer_costs_few_round_trips():
    url = server_under_test()
    if url is None:
        pytest.skip("SQLite has no network")
    given = Namespace(annotators=4, answers=4, processes=2, threads=2)
    found = trial(url, 5, given)
    assert cells(5, found)[-1], found
    assert (found["page"], found["report"]) == (PAGE, "kept")
    assert found["submit"] <= SUBMIT
