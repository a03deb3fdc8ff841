from collections import Counter

import pytest

from judges.turn_split import TurnSplit

TURNS = [
    (f"q{item}", f"s{item}-{session}", number) for item in range(60) for session in range(4) for number in (1, 2, 3)
]


@pytest.mark.parametrize(("by", "whole"), [("item", 1), ("session", 2), ("turn", 3)])
def test_what_is_drawn_as_a_whole_is_in_one_part(by, whole):
    split, parts = TurnSplit(by, seed=3), {}
    for turn in TURNS:
        key = {"item": turn[:1], "session": turn[1:2], "turn": turn[1:]}[by]
        parts.setdefault(key, set()).add(split.part(*turn))
    assert {len(found) for found in parts.values()} == {1}
    assert set().union(*parts.values()) == {"training", "validation", "test"}
    sessions = Counter(split.part(*turn) for turn in TURNS)
    if by != "item":
        assert 0.6 < sessions["training"] / len(TURNS) < 0.8
        assert 0.08 < sessions["validation"] / len(TURNS) < 0.22
    assert len({split.part("q1", "s1-0", number) for number in range(1, 30)}) == (1 if whole < 3 else 3)


def test_another_seed_makes_another_split_and_new_turns_move_none():
    first = [TurnSplit(seed=1).part(*turn) for turn in TURNS]
    assert first == [TurnSplit(seed=1).part(*turn) for turn in TURNS]
    assert first != [TurnSplit(seed=2).part(*turn) for turn in TURNS]


@pytest.mark.parametrize(("training", "validation", "part"), [(1, 0, "training"), (0, 1, "validation"), (0, 0, "test")])
def test_a_share_of_one_takes_all(training, validation, part):
    assert {TurnSplit("turn", training, validation).part(*turn) for turn in TURNS} == {part}
