"""What counts as a failed run of faults: lost answers, faults that did not happen as planned, and skipped ones."""

import sys

import pytest

from tests.faults import faults

SCALE = faults.Scale(raters=2, tasks=2, times=3, seconds=1.0, quick=3)
RIGHT = {
    **dict.fromkeys(("acknowledged", "stored", "exported", "filled", "slots"), 6),
    **dict.fromkeys(("lost", "unacknowledged", "surplus", "rater_twice_on_a_task"), 0),
    "ratings_stored": 12, "ratings_exported": 12, "raters_per_task": [3], "happened": 3, "planned": 3, "errors": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"happened": 2}, ["the fault happened 2 times, not 3"]),
        ({"lost": 1}, ["lost: 1, not 0"]),
        ({"errors": ["502 at a task"]}, ["502 at a task"]),
    ],
)
def test_lost_answers_errors_and_faults_that_did_not_happen_are_wrong(change, wrong):
    assert faults.wrong_in(RIGHT | change, SCALE) == wrong


@pytest.mark.parametrize(("option", "code"), [([], 1), (["--allow-skipped"], 0)])
def test_a_run_with_a_skipped_fault_fails_unless_that_is_allowed(monkeypatch, capsys, option, code):
    monkeypatch.setattr(faults, "reason_to_skip", lambda name, folder: "nginx is missing")
    monkeypatch.setattr(sys, "argv", ["faults", *option, "web_killed"])
    assert faults.main() == code
    assert '"skipped": "nginx is missing"' in capsys.readouterr().out
