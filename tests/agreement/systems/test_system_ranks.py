import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from agreement.arrays.scored_outputs import NOT_SCORED, scores_of_choices, scores_of_rankings, scores_of_ratings
from agreement.intervals.bootstrap import estimate
from agreement.systems.system_ranks import RankSums, places


def test_equal_figures_share_their_mean_place_and_undefined_ones_have_none():
    assert places(np.array([[3.0, 1.0, 3.0, np.nan, 2.0]])).tolist()[0][:3] == [1.5, 4.0, 1.5]
    assert np.isnan(places(np.array([[3.0, np.nan]]))[0, 1])


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_places_are_the_ranks_of_scipy(values):
    figures = np.array(values, dtype=float)
    assert places(figures[None, :])[0].tolist() == rankdata(-figures, method="average").tolist()


def test_ranks_of_means_have_intervals_and_a_system_that_draws_miss_is_left_out_alone(ratings_of):
    # a beats b on each of 20 items; c has one output
    given = {(item, name): {"r": value} for item in range(20) for name, value in (("a", 4), ("b", 2))}
    scores = scores_of_ratings(ratings_of(given | {(0, "c"): {"r": 3}}), np.full(41, np.nan))
    found = estimate([RankSums(scores.means())], scores.items, 500, 0)
    assert [found["rank", name].value for name in "abc"] == [1.0, 3.0, 2.0]
    assert found["rank", "a"].interval == (1.0, 1.0)
    assert found["rank", "b"].interval == (2.0, 3.0)
    assert found["rank", "a"].left_out == 0
    assert found["rank", "c"].left_out > 100


def test_a_system_without_an_output_has_no_place(ratings_of):
    ratings = ratings_of({("i", "a"): {"r": 1}, ("i", "b"): {"r": 2}}).of_items(np.array([False]))
    scores = scores_of_ratings(ratings, np.full(2, np.nan))
    found = estimate([RankSums(scores.means())], scores.items, 10, 0)
    assert (found["rank", "a"].value, found["rank", "a"].reason) == (None, NOT_SCORED)


def test_scores_are_means_points_and_s_i(ratings_of, choices_of, rankings_of):
    rated = scores_of_ratings(ratings_of({("i", "a"): {"r": 1, "s": 4}, ("i", "b"): {"r": 2}}), np.array([7.0, 9.0]))
    assert (rated.score.tolist(), rated.words.tolist()) == ([2.5, 2.0], [7.0, 9.0])
    judged = scores_of_choices(choices_of(
        [("i", "a", "b", "r", "a"), ("i", "a", "b", "s", None), ("i", "b", "c", "r", "b")],
        {("i", "a"): 5, ("i", "b"): 6, ("i", "c"): 7},
    ))  # fmt: skip
    assert judged.score.tolist() == [0.75, pytest.approx((0 + 0.5 + 1) / 3), 0.0]
    assert judged.words.tolist() == [5, 6, 7]
    ranked = scores_of_rankings(rankings_of(
        [("i", "r", {"a": 1, "b": 1, "c": 3}), ("i", "s", {"a": 1, "b": 2, "c": 3})],
        {("i", "a"): 5, ("i", "b"): 6, ("i", "c"): 7},
    ))  # fmt: skip
    assert ranked.score.tolist() == [3.0, 2.5, 1.0]
    assert ranked.words.tolist() == [5, 6, 7]
