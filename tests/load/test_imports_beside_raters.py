"""A small round of `python -m tests.load.imports_beside_raters`, with real processes."""

import pytest

from tests.load.imports_beside_raters import trial
from tests.load.test_race import server_under_test

pytestmark = pytest.mark.both


@pytest.mark.thorough
def test_raters_and_pages_are_answered_during_an_import_and_nothing_is_lost():
    found = trial(server_under_test(), ratings=6_000, raters=2, pause=0.1, tasks=40)
    assert found["told"].startswith("Created study imported: 300 items, 600 outputs, 6000 ratings"), found["told"]
    assert set(found["sign_in_page"]["statuses"]) == {200}
    assert set(found["raters"]["statuses"]) <= {302, 503}
    assert found["acknowledged"] == found["stored"] == found["exported"] > 0
    assert (found["lost"], found["unacknowledged"]) == (0, 0)
    assert (found["imported"], found["pending"]) == (6_000, 0)
