"""A small round of `python -m tests.load.import_kills`, with real processes."""

import pytest
from django.conf import settings

from tests.load.import_kills import trial

pytestmark = pytest.mark.both


@pytest.mark.thorough
@pytest.mark.skipif(
    not settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"),
    reason="on PostgreSQL an import is one transaction",
)
def test_imports_that_are_killed_leave_nothing_or_the_rows_of_an_undisturbed_one():
    found = trial(None, kills=3, ratings=6_000, seed=1)
    assert found["wrong"] == []
    assert sum(found["found_after_kills"].values()) == 3
