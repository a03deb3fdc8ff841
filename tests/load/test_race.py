"""A small race of raters against a real server; `python -m tests.load.race` gives the full figures."""

import os

import pytest
from django.conf import settings

from tests.load.race import _happening, race
from tests.load.server import run


def server_under_test() -> str | None:
    return os.environ["DATABASE_URL"] if settings.DATABASES["default"]["ENGINE"].endswith("postgresql") else None


@pytest.mark.postgresql
@pytest.mark.parametrize(("raters", "tasks"), [(8, 16), pytest.param(12, 40, marks=pytest.mark.thorough)])
def test_raters_who_race_fill_exactly_the_quota(raters, tasks):
    found = race(server_under_test(), raters=raters, tasks=tasks, redundancy=3)
    assert found["errors"] == []
    assert (
        found["filled"] == found["slots"] == found["acknowledged"] == found["stored"] == found["exported"] == 3 * tasks
    )
    assert found["raters_per_task"] == [3]
    assert (found["lost"], found["unacknowledged"], found["surplus"], found["rater_twice_on_a_task"]) == (0, 0, 0, 0)
    assert found["ratings_exported"] == found["ratings_stored"] == 2 * found["stored"]


def test_raters_end_with_a_fault_that_fails(tmp_path):
    def fault(server, ending):
        raise ValueError("the server does not start again")

    waiting = ["-c", "import time; time.sleep(1000)"]
    with (
        pytest.raises(ValueError, match="does not start again"),
        _happening(fault, None, tmp_path / "over") as problems,
    ):
        run(waiting, dict(os.environ), in_vain=lambda: bool(problems))
    assert (tmp_path / "over").exists()
