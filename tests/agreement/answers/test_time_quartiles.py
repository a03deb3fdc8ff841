import numpy as np
import pytest

from agreement.answers.time_quartiles import FEWEST, TOO_FEW, AnswerTimes, time_quartiles

pytestmark = pytest.mark.quick


def times_of(seconds, words=None, systems=None):
    """Answers whose three clocks run at 1, 1/2 and 1/4 of `seconds`."""
    seconds = np.array(seconds, dtype=float)
    return AnswerTimes(
        np.stack([seconds, seconds / 2, seconds / 4], axis=1),
        np.full(seconds.size, np.nan) if words is None else np.array(words, dtype=float),
        np.full(seconds.size, -1) if systems is None else np.array(systems), ("a", "b"),
    )  # fmt: skip


def test_quartiles_of_five_answers():
    [row] = time_quartiles(times_of([40, 10, 30, 20, 50]))["all"]
    assert (row["answers"], row["seconds"]) == (5, [20.0, 30.0, 40.0])
    assert row["visible_seconds"] == [10.0, 15.0, 20.0]
    assert row["active_seconds"] == [5.0, 7.5, 10.0]


def test_few_answers_have_no_quartiles():
    [row] = time_quartiles(times_of([1, 2, 3, 4, np.nan]))["all"]
    assert (row["seconds"], row["undefined"]["seconds"]) == (None, TOO_FEW)


def test_groups_by_words_and_systems_hold_all_answers():
    rng = np.random.default_rng(1)
    found = time_quartiles(times_of(rng.random(80), rng.integers(10, 400, 80), np.arange(80) % 2))
    assert sum(row["answers"] for row in found["words"]) == 80
    assert [row["low"] for row in found["words"]] == sorted(row["low"] for row in found["words"])
    assert {row["name"]: row["answers"] for row in found["systems"]} == {"a": 40, "b": 40}


@pytest.mark.parametrize("count", [FEWEST, 57])
def test_quartiles_are_in_order(count):
    [row] = time_quartiles(times_of(np.random.default_rng(count).exponential(60, count)))["all"]
    assert row["seconds"] == sorted(row["seconds"])


def test_a_single_system_or_length_is_no_group():
    found = time_quartiles(times_of([1, 2], words=[7, 7], systems=[0, 0]))
    assert (found["systems"], found["words"]) == ([], [])
    assert time_quartiles(times_of([])) == {"all": [], "words": [], "systems": []}
