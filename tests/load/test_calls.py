"""Small complete runs of the load tools: workers are killed during calls and sessions; nothing is lost or doubled."""

import shutil
from argparse import Namespace

import pytest
from django.conf import settings

from tests.load.calls import trial as calls
from tests.load.sessions import trial as sessions

pytestmark = pytest.mark.postgresql
THOROUGH = pytest.mark.thorough


def server() -> str | None:
    """Return the URL of the PostgreSQL server that the tests run on, or None on SQLite. Skip without Redis."""
    database = settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        return None
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server: sudo apt install redis-server")
    return (
        f"postgres://{database['USER']}:{database['PASSWORD']}@{database['HOST']}:{database['PORT'] or 5432}/postgres"
    )


@pytest.mark.parametrize(("kills", "deaths", "waiting"), [(1, 1, 6), pytest.param(3, 4, 20, marks=THOROUGH)])
def test_calls_of_killed_workers_end_in_one_result_each_and_no_answer_is_paid_twice(kills, deaths, waiting):
    url = server()
    given = Namespace(
        postgresql=url, calls=waiting, kills=kills, deaths=deaths, flushes=1 if url else 0, delay=0.3, workers=2,
        threads=4, in_flight=8, seed=1, rows=["calls_rows", "judgment_rows"],
    )  # fmt: skip
    found = calls(given)
    assert (found["kills"], found["deaths"], found["flushes"]) == (kills, deaths, given.flushes)
    assert [found[rows]["rows"] for rows in given.rows] == [{"done": waiting}] * 2
    assert [found[rows]["wrong"] for rows in given.rows] == [[], []]
    assert [found[rows]["paid_after_an_answer_was_recorded"] for rows in given.rows] == [0, 0]
    assert sum(found[rows]["restarted"] for rows in given.rows) >= deaths
    assert found["requests_at_endpoint"] <= 2 * waiting + (kills + deaths) * 4
    assert found["errors_logged"] == []


@THOROUGH
def test_sessions_whose_worker_is_killed_lose_and_double_nothing():
    given = Namespace(
        postgresql=server(), people=3, turns=1, kills=2, delay=1.0, in_flight=2, threads=4, web_workers=1, spread=0,
        think=0, seed=1,
    )  # fmt: skip
    found = sessions(given)
    assert (found["kills"], found["errors"], found["wrong"]) == (2, [], [])
    assert found["sessions"] == {"satisfied": 3}
    assert found["acknowledged"] == 3 * (1 + 1 + 1) + found["retries"]
    assert found["endpoint"]["most_at_once"] <= 2 + 2  # requests of a killed worker may still be running there
