"""Rankings and choices as scores: what the arrays of the report have is what the definitions say."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.arrays.pair_choices import collect_choices
from agreement.arrays.rankings import collect_rankings

pytestmark = pytest.mark.quick
OUTPUTS = st.sampled_from(["a", "b", "B", "é", "z10", "z9"])
RANKS = st.dictionaries(OUTPUTS, st.integers(1, 9), min_size=1)


@given(RANKS)
def test_s_i_and_choices_are_those_of_the_ranks(ranks):
    rankings = collect_rankings(["item"], ["judge"], [ranks])
    scores = dict(zip((rankings.systems[code] for code in rankings.system), rankings.scores().tolist(), strict=True))
    assert scores == {
        output: len(ranks) - sum(other < rank for other in ranks.values()) for output, rank in ranks.items()
    }
    choices = rankings.choices()
    sides = zip(choices.first, choices.second, strict=True)
    names = [(rankings.systems[one], rankings.systems[other]) for one, other in sides]
    found = {names[pair]: (*names[pair], None)[code] for pair, code in zip(choices.pair, choices.choice, strict=True)}
    assert found == {
        pair: None if ranks[pair[0]] == ranks[pair[1]] else min(pair, key=ranks.get)
        for pair in combinations(sorted(ranks), 2)
    }


@given(st.lists(st.tuples(OUTPUTS, OUTPUTS, st.sampled_from([0, 1, None])), max_size=12))
def test_points_are_two_for_a_win_and_one_for_a_tie(judged):
    choices = {
        tuple(sorted((one, other))): None if side is None else (one, other)[side]
        for one, other, side in judged
        if one != other
    }
    made = collect_choices(["item"] * len(choices), list(choices), ["judge"] * len(choices), list(choices.values()))
    _, system, points = made.points()
    expected = {}
    for pair, winner in choices.items():
        for output in pair:
            expected.setdefault(output, []).append(1 if winner is None else 2 * (winner == output))
    mean = dict(zip((made.systems[code] for code in system), (2 * points).tolist(), strict=True))
    assert mean == pytest.approx({output: sum(own) / len(own) for output, own in expected.items()})
