"""Conversions between shapes of answers: cases by hand, and what always holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.conversions import (
    choices_of_ranking,
    choices_of_scores,
    majority_choice,
    mean_score,
    mean_scores_of_rankings,
    pair_of,
    points_of_choices,
    ranking_of_choices,
    ranking_of_scores,
    scores_of_ranking,
)
from agreement.pair_choices import collect_choices
from agreement.rankings import collect_rankings

OUTPUTS = st.sampled_from(["a", "b", "B", "é", "z10", "z9"])
SCORES = st.dictionaries(OUTPUTS, st.one_of(st.integers(-3, 3), st.floats(-2, 2)), min_size=1)
RANKS = st.dictionaries(OUTPUTS, st.integers(1, 9), min_size=1)


def test_scores_become_choices_and_a_ranking():
    scores = {"d": 0.25, "a": 3, "b": -1.5, "c": 3.0}
    assert choices_of_scores(scores) == {
        ("a", "b"): "a", ("a", "c"): None, ("a", "d"): "a", ("b", "c"): "c", ("b", "d"): "d", ("c", "d"): "c",
    }  # fmt: skip
    assert ranking_of_scores(scores) == {"a": 1, "c": 1, "d": 2, "b": 3}


def test_a_ranking_becomes_choices_and_s_i_whatever_its_gaps():
    """s of five outputs: two are best (5 each), then two are better (3), three (2) and four (1)."""
    ranks = {"a": 1, "b": 1, "c": 3, "d": 7, "e": 9}
    assert scores_of_ranking(ranks) == {"a": 5, "b": 5, "c": 3, "d": 2, "e": 1}
    assert choices_of_ranking({"a": 2, "b": 1, "c": 2}) == {("a", "b"): "b", ("a", "c"): None, ("b", "c"): "b"}


def test_choices_become_mean_points_over_the_pairs_there_are():
    """a won both its pairs (2), b lost one and tied one (1/2), c lost one and tied one, d tied its only pair (1)."""
    choices = {("a", "b"): "a", ("a", "c"): "a", ("b", "c"): None}
    assert points_of_choices(choices) == {"a": 2, "b": 0.5, "c": 0.5}
    assert points_of_choices({("a", "b"): "b", ("b", "d"): None}) == {"a": 0, "b": 1.5, "d": 1}
    assert ranking_of_choices({("a", "b"): "b", ("b", "d"): None}) == {"b": 1, "d": 2, "a": 3}
    with pytest.raises(ValueError, match="must be one of its outputs"):
        points_of_choices({("a", "b"): "c"})


def test_a_circle_of_choices_ranks_all_the_same():
    assert ranking_of_choices({("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c"}) == {"a": 1, "b": 1, "c": 1}


def test_several_runs_become_one_value():
    assert mean_score([4.0, 3.5, 4.5]) == 4
    assert mean_score([0.1, 0.2, 0.3]) == mean_score([0.3, 0.1, 0.2]) == mean_score([0.2, 0.2, 0.2])
    assert mean_score([1e-300]) == pytest.approx(1e-300, rel=1e-12)
    assert majority_choice(["a", "b", "a"]) == "a"
    assert majority_choice([None, "a", None]) is None
    assert majority_choice(["a", "b"]) is None
    assert majority_choice(["a", None]) is None
    assert majority_choice(["a", "a", "b", "b", None]) is None
    # s: a 3 and 3, b 2 and 3, c 1 and 1.
    assert mean_scores_of_rankings([{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 2}]) == {"a": 3, "b": 2.5, "c": 1}
    assert mean_scores_of_rankings([{"a": 1, "b": 2}, {"b": 1}]) == {"a": 2, "b": 1}


@given(SCORES)
def test_choices_of_scores_are_those_of_their_ranking(scores):
    ranks = ranking_of_scores(scores)
    assert choices_of_ranking(ranks) == choices_of_scores(scores)
    assert sorted(set(ranks.values())) == list(range(1, len(set(ranks.values())) + 1))


@given(RANKS)
def test_s_i_and_the_points_of_all_pairs_keep_the_order_of_a_ranking(ranks):
    order = ranking_of_scores({output: -rank for output, rank in ranks.items()})
    assert ranking_of_scores(scores_of_ranking(ranks)) == order
    if len(ranks) > 1:
        assert ranking_of_choices(choices_of_ranking(ranks)) == order


@given(RANKS)
def test_s_i_and_choices_are_those_of_the_agreement_report(ranks):
    rankings = collect_rankings(["item"], ["judge"], [ranks])
    scores = dict(zip((rankings.systems[code] for code in rankings.system), rankings.scores().tolist(), strict=True))
    assert scores == scores_of_ranking(ranks)
    choices = rankings.choices()
    sides = zip(choices.first, choices.second, strict=True)
    names = [(rankings.systems[one], rankings.systems[other]) for one, other in sides]
    found = {names[pair]: (*names[pair], None)[code] for pair, code in zip(choices.pair, choices.choice, strict=True)}
    assert found == choices_of_ranking(ranks)


@given(st.lists(st.tuples(OUTPUTS, OUTPUTS, st.sampled_from([0, 1, None])), max_size=12))
def test_points_are_twice_those_of_the_comparisons(judged):
    choices = {
        pair_of(one, other): None if side is None else (one, other)[side] for one, other, side in judged if one != other
    }
    made = collect_choices(["item"] * len(choices), list(choices), ["judge"] * len(choices), list(choices.values()))
    _, system, points = made.points()
    mean = dict(zip((made.systems[code] for code in system), (2 * points).tolist(), strict=True))
    assert points_of_choices(choices) == pytest.approx(mean)


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=1, max_size=9))
def test_a_majority_has_more_votes_than_any_other_answer(votes):
    winner = majority_choice(votes)
    if winner is not None:
        assert all(votes.count(winner) > votes.count(other) for other in {"a", "b", None} - {winner})
    elif votes.count(None) <= max(votes.count("a"), votes.count("b")):
        assert sorted(map(votes.count, ("a", "b", None)))[-1] == sorted(map(votes.count, ("a", "b", None)))[-2]
    assert majority_choice(list(reversed(votes))) == winner


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=7), st.randoms())
def test_a_mean_does_not_depend_on_the_order_of_the_runs(scores, random):
    shuffled = list(scores)
    random.shuffle(shuffled)
    assert mean_score(shuffled) == mean_score(scores)
    assert mean_score(scores) == pytest.approx(np.mean(scores), rel=1e-9, abs=1e-6)
