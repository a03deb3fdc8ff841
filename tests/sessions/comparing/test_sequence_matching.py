import random
from difflib import SequenceMatcher
from itertools import pairwise

import pytest

from sessions.comparing.sequence_matching import MOST_STEPS, StepCounter, matching_runs

LONG = 100_000
WORDS = [f"w{number}" for number in range(5_000)]


def runs_of(old, new, most=MOST_STEPS):
    steps = StepCounter(most)
    return matching_runs(old, new, steps), most - steps.left


def edited(words, share, seed):
    draw = random.Random(seed)
    return [draw.choice(WORDS) if draw.random() < share else word for word in words]


def test_short_sequences_match_as_in_the_standard_library():
    draw = random.Random(3)
    for _ in range(300):
        old, new = (draw.choices("abcdefgh", k=draw.randrange(60)) for _ in range(2))
        expected = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()[:-1]
        assert runs_of(old, new)[0] == [tuple(block) for block in expected]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a"] * LONG, ["a"] * (LONG - 7) + ["b"]),
        (["a", "b"] * (LONG // 2), ["b", "a", "a"] * (LONG // 3)),
        ([f"a{n}" for n in range(LONG)], [f"b{n}" for n in range(LONG)]),
        ([f"a{n // 2}" for n in range(LONG)], [f"a{n // 2}" for n in reversed(range(LONG))]),
        (["a", "b"] * (LONG // 2), random.Random(1).choices("ab", k=LONG)),
        (random.Random(2).choices(WORDS, k=LONG), random.Random(3).choices(WORDS, k=LONG)),
    ],
    ids=["one word", "two orders", "nothing in common", "backwards", "two words at random", "many words at random"],
)
def test_the_work_is_bounded_whatever_the_sequences(old, new):
    """Comparing all pairs of equal elements would take up to 10,000,000,000 steps."""
    runs, taken = runs_of(old, new)
    assert taken <= MOST_STEPS
    for run in runs:
        assert old[run.old_start : run.old_end] == new[run.new_start : run.new_end]
    assert all(one.old_end <= two.old_start and one.new_end <= two.new_start for one, two in pairwise(runs))


def test_long_sequences_with_few_edits_match_nearly_everywhere():
    old = [f"{draw}" for draw in range(20_000)]
    new = edited(old, 0.05, seed=4)
    equal = sum(one == two for one, two in zip(old, new, strict=True))
    runs, taken = runs_of(old, new)
    assert sum(run.size for run in runs) >= 0.99 * equal
    assert taken <= MOST_STEPS


def test_without_steps_only_beginning_and_end_match():
    old, new = list("abcxdefyghi"), list("abcudefvghi")
    runs, taken = runs_of(old, new, most=0)
    assert taken == 0
    assert [old[run.old_start : run.old_end] for run in runs] == [list("abc"), list("ghi")]
