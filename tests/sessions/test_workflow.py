"""The rules of a session, apart from any database."""

import pytest

from sessions.workflow import Due, TurnFacts, current_answer, state_of

FIRST = TurnFacts(0, "done", "a0")


def rated(number, rating, edited=None):
    return TurnFacts(number, "done", f"a{number}", rating, edited)


@pytest.mark.parametrize(
    ("steps", "current"),
    [
        ([FIRST], ("a0", 0)),
        ([TurnFacts(0, "queued")], (None, None)),
        ([FIRST, TurnFacts(1, "done", "a1")], ("a0", 0)),
        ([FIRST, rated(1, "good")], ("a1", 1)),
        ([FIRST, rated(1, "neutral")], ("a1", 1)),
        ([FIRST, rated(1, "neutral", "e1")], ("e1", 1)),
        ([FIRST, rated(1, "bad")], ("a0", 0)),
        ([FIRST, rated(1, "bad", "e1")], ("e1", 1)),
        ([FIRST, rated(1, "good"), rated(2, "bad"), rated(3, "bad")], ("a1", 1)),
        ([FIRST, rated(1, "bad", "e1"), rated(2, "bad")], ("e1", 1)),
    ],
)
def test_the_current_answer(steps, current):
    assert current_answer(steps) == current


@pytest.mark.parametrize(
    ("status", "steps", "due", "number", "may_end", "editable"),
    [
        ("active", [TurnFacts(0, "queued")], Due.WAIT, 0, False, None),
        ("active", [TurnFacts(0, "failed")], Due.RETRY, 0, False, None),
        ("active", [FIRST], Due.INSTRUCT, 1, False, None),
        ("active", [FIRST, TurnFacts(1, "running")], Due.WAIT, 1, False, None),
        ("active", [FIRST, TurnFacts(1, "stopped")], Due.RETRY, 1, False, None),
        ("active", [FIRST, TurnFacts(1, "done", "a1")], Due.RATE, 1, False, None),
        ("active", [FIRST, rated(1, "good")], Due.INSTRUCT, 2, True, None),
        ("active", [FIRST, rated(1, "bad")], Due.INSTRUCT, 2, True, 1),
        ("active", [FIRST, rated(1, "bad"), TurnFacts(2, "failed")], Due.RETRY, 2, True, None),
        ("active", [FIRST, rated(1, "bad"), TurnFacts(2, "running")], Due.WAIT, 2, False, None),
        ("max_turns", [FIRST, rated(1, "good"), rated(2, "neutral")], Due.END, 2, True, 2),
        ("satisfied", [FIRST, rated(1, "bad")], Due.OVER, 1, False, None),
        ("abandoned", [FIRST, rated(1, "bad")], Due.OVER, 1, False, None),
    ],
)
def test_what_is_due(status, steps, due, number, may_end, editable):
    state = state_of(status, steps, 2)
    assert (state.due, state.number, state.may_end, state.editable) == (due, number, may_end, editable)
