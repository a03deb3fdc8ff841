import numpy as np
import pytest

from agreement.reliability.alpha import alpha
from agreement.reliability.local_alpha import local_alpha
from agreement.reliability.local_alpha_bins import EDGES

pytestmark = pytest.mark.quick


def test_alpha_is_computed_within_each_item(ratings_of):
    ratings = ratings_of(
        {
            ("i", "a"): {"r": 1, "s": 1},
            ("i", "b"): {"r": 1, "s": 3},
            ("i", "c"): {"r": 3, "s": 3},
            ("j", "a"): {"r": 2, "s": 2},
            ("j", "b"): {"r": 2, "s": 2},
            ("k", "a"): {"r": 1, "s": 2},
            ("l", "a"): {"r": 1},
            ("l", "b"): {"s": 1},
        }
    )
    local = local_alpha(ratings, 4, "nominal")
    # i: 1 - (2/6) / (18/30); j does not vary: 1; k: 1 - 1/1; l has no output rated twice.
    np.testing.assert_allclose(local.alpha, [4 / 9, 1, 0, np.nan])
    mean, share = (sums.at(np.ones((1, 4)))[0, 0] for sums in local.sums())
    assert (mean, share) == pytest.approx(((4 / 9 + 1) / 3, 1 / 3))
    assert local.standard_error() == pytest.approx(np.std([4 / 9, 1, 0], ddof=1) / np.sqrt(3))


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_local_alpha_equals_alpha_of_the_items_ratings(level, ratings_of):
    rng = np.random.default_rng(1)
    given = {(item, out): {r: rng.integers(1, 6) for r in range(3)} for item in range(6) for out in range(4)}
    ratings = ratings_of({(i, str(o)): {str(r): v for r, v in a.items()} for (i, o), a in given.items()})
    local = local_alpha(ratings, 6, level)
    for item in range(6):
        own = ratings.item[ratings.unit] == item
        assert local.alpha[item] == pytest.approx(alpha(ratings.unit[own], ratings.value[own], level))


def test_an_alpha_of_one_half_counts_as_at_least_half(ratings_of):
    # D_o = 2 (0 + 2/3 + 8/3) 3 / 2 / 9 and D_e is twice that; in floating point 1 - D_o / D_e is 0.4999999999999999.
    values = {"a": [4, 4, 4], "b": [3, 2, 2], "c": [1, 3, 3]}
    ratings = ratings_of({("i", out): dict(zip("rst", given, strict=True)) for out, given in values.items()})
    local = local_alpha(ratings, 1, "interval")
    assert local.alpha[0] == 0.5
    assert local.sums()[1].at(np.ones((1, 1)))[0, 0] == 1


def test_the_histogram_counts_every_item_once(ratings_of):
    ratings = ratings_of(
        {
            ("i", "a"): {"r": 1, "s": 1},
            ("j", "a"): {"r": 1, "s": 2},
            ("k", "a"): {"r": 1, "s": 2},
            ("k", "b"): {"r": 2, "s": 1},
        }
    )
    histogram = local_alpha(ratings, 3, "nominal").histogram()
    assert histogram["edges"] == list(EDGES)
    counts = dict(zip(EDGES, histogram["counts"], strict=False))
    assert {edge: n for edge, n in counts.items() if n} == {-0.5: 1, 0.0: 1, 0.9: 1}


def test_answers_about_whole_tasks_are_left_out(ratings_of):
    local = local_alpha(ratings_of({("i", None): {"r": 1, "s": 1}}), 1, "nominal")
    assert local.used.size == 0
    assert local.standard_error() is None
