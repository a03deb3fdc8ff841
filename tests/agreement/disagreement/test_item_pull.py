"""Leaving each item out in closed form gives what computing alpha again without it gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.arrays.rating_arrays import collect
from agreement.disagreement.item_pull import alpha_without, item_pulls
from agreement.reliability.alpha import alpha, alpha_sums

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("rst"), st.sampled_from([1, 2, 3, 50])),
    min_size=2, max_size=40, unique_by=lambda row: row[:3],
)  # fmt: skip


def rated(rows):
    return collect(*([row[column] for row in rows] for column in range(4)))


@pytest.mark.parametrize("level", ["nominal", "interval"])
@given(rows=ROWS)
def test_alpha_without_an_item_is_alpha_of_the_others(level, rows):
    ratings = rated(rows)
    items = int(ratings.item.max()) + 1
    found = alpha_without(alpha_sums(ratings.unit, ratings.value, ratings.item, items, (level,)), level)
    for item in range(items):
        kept = ratings.item[ratings.unit] != item
        expected = alpha(ratings.unit[kept], ratings.value[kept], level)
        assert (None if np.isnan(found[item]) else found[item]) == (
            None if expected is None else pytest.approx(expected, abs=1e-6)
        )


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_many_values_are_counted_sparsely_with_the_same_result(level, monkeypatch):
    rng = np.random.default_rng(1)
    rows = [(item, "a", rater, int(rng.integers(1, 9))) for item in range(20) for rater in "rst"]
    dense = item_pulls(rated(rows), level, 5)
    monkeypatch.setattr("agreement.arrays.tally.DENSE_CELLS", 0)
    sparse = item_pulls(rated(rows), level, 5)
    assert [row["item"] for row in sparse["lowering"]] == [row["item"] for row in dense["lowering"]]
    assert [row["pull"] for row in sparse["lowering"]] == pytest.approx([row["pull"] for row in dense["lowering"]])


def test_the_item_on_which_raters_differ_pulls_alpha_down():
    agreed = [(item, "a", rater, 1 + item % 2) for item in range(6) for rater in "rs"]
    pulls = item_pulls(rated([*agreed, (6, "a", "r", 1), (6, "a", "s", 2)]), "nominal", 3)
    first = pulls["lowering"][0]
    assert (first["item"], first["without"]) == (6, pytest.approx(1.0))
    assert first["pull"] < 0 < pulls["raising"][0]["pull"]
    assert [len(pulls["lowering"]), len(pulls["raising"])] == [1, 3]


def test_without_ratings_there_are_no_items():
    assert item_pulls(rated([]), "interval", 3) == {"lowering": [], "raising": []}


@pytest.mark.parametrize("pairs", [((2, 2), (3, 3), (1, 3)), ((1, 1), (1, 3), (1, 1)), ((3, 3), (1, 2), (2, 2))])
def test_alpha_of_as_much_agreement_as_by_chance_is_0_and_no_rounding_error(pairs):
    rows = [
        (item, "a", rater, value) for item, pair in enumerate(pairs) for rater, value in zip("rs", pair, strict=True)
    ]
    ratings = rated(rows)
    sums = alpha_sums(ratings.unit, ratings.value, ratings.item, 3, ("interval",))
    made = item_pulls(ratings, "interval", 3)
    shown = [row[key] for side in made.values() for row in side for key in ("pull", "without")]
    figures = np.array([*shown, *alpha_without(sums, "interval"), sums.at(np.ones((1, 3)))[0, 0]])
    assert (figures == 0).any()
    assert not ((np.abs(figures) > 0) & (np.abs(figures) < 1e-12)).any()
