"""A small edition of every fault; `make faults` does them all at full length."""

import pytest

from tests.faults.faults import FAULTS, SMALL, SMALLEST, WORKERS, reason_to_skip, run_named

pytestmark = pytest.mark.timeout(300)
QUICK = ("restarted",)
"""The fault of `make test`, besides those of `test_faults_in_turn.py`; the others are left to `make thorough`."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in (*FAULTS, *WORKERS)]
)
def test_after_a_fault_ledgers_database_and_export_agree(name, tmp_path):
    skipped = reason_to_skip(name, tmp_path)
    if skipped:
        pytest.skip(skipped)
    assert run_named(name, SMALLEST if name in QUICK else SMALL)[1] == []
