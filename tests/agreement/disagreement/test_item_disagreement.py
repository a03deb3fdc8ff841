import numpy as np
import pytest

from agreement.disagreement.item_disagreement import item_disagreement, mean_disagreement, ranks_as_ratings
from agreement.reliability.alpha import alpha

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_the_weighted_mean_of_items_is_one_minus_alpha(level, ratings_of):
    rng = np.random.default_rng(3)
    given = {
        (f"i{item}", out): {f"r{r}": int(rng.integers(1, 6)) for r in range(rng.integers(1, 5))}
        for item in range(12) for out in "ab"
    }  # fmt: skip
    ratings = ratings_of(given)
    d = item_disagreement(ratings, 12, level)
    m = np.bincount(ratings.unit)
    n_i = np.bincount(ratings.item, np.where(m > 1, m, 0), minlength=12)
    assert 1 - np.nansum(n_i * d) / n_i.sum() == pytest.approx(alpha(ratings.unit, ratings.value, level))


def test_agreement_is_0_and_an_item_that_nobody_rated_twice_has_none(ratings_of):
    ratings = ratings_of(
        {("i", "a"): {"r": 1, "s": 1}, ("j", "a"): {"r": 1, "s": 3}, ("k", "a"): {"r": 2}, ("l", "a"): {"r": 3, "s": 3}}
    )
    d = item_disagreement(ratings, 4, "nominal")
    # D_e = (36 - 9 - 9) / 30 = 0.6; item j observes 1.
    np.testing.assert_allclose(d, [0, 1 / 0.6, np.nan, 0])


def test_larger_distances_disagree_more_only_where_distances_count(ratings_of):
    ratings = ratings_of({("i", "a"): {"r": 1, "s": 2}, ("j", "a"): {"r": 1, "s": 5}})
    nominal, interval = (item_disagreement(ratings, 2, level) for level in ("nominal", "interval"))
    assert nominal[0] == nominal[1]
    assert interval[1] == pytest.approx(16 * interval[0])


def test_nobody_disagrees_if_all_values_are_the_same(ratings_of):
    ratings = ratings_of({("i", "a"): {"r": 4, "s": 4}, ("j", "a"): {"r": 4}})
    for level in ("nominal", "ordinal", "interval"):
        np.testing.assert_allclose(item_disagreement(ratings, 2, level), [0, np.nan])


def test_no_ratings_give_no_figures(ratings_of):
    assert np.isnan(item_disagreement(ratings_of({}), 3, "interval")).all()


def test_rankings_disagree_by_the_ranks_of_their_outputs(rankings_of):
    same, turned = {"a": 1, "b": 2}, {"a": 2, "b": 1}
    rankings = rankings_of([("i", "r", same), ("i", "s", same), ("j", "r", same), ("j", "s", turned)])
    d = item_disagreement(ranks_as_ratings(rankings), 2, "ordinal")
    assert d[0] == 0
    assert d[1] > 1


def test_a_raters_last_ranking_counts(rankings_of):
    same, turned = {"a": 1, "b": 2}, {"a": 2, "b": 1}
    rankings = rankings_of([("i", "r", turned), ("i", "s", same), ("i", "r", same)])
    assert ranks_as_ratings(rankings).value.size == 4
    np.testing.assert_allclose(item_disagreement(ranks_as_ratings(rankings), 1, "ordinal"), [0])


def test_the_mean_over_questions_leaves_out_those_without_a_figure():
    one, other = np.array([0.5, np.nan, np.nan]), np.array([1.5, 1.0, np.nan])
    np.testing.assert_allclose(mean_disagreement([one, other], 3), [1.0, 1.0, np.nan])
    assert np.isnan(mean_disagreement([], 2)).all()
