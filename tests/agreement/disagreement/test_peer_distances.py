"""Distances of ratings from the others of their unit: they make up alpha, and group by group say where it is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.arrays.rating_arrays import collect
from agreement.disagreement.peer_distances import ALL_SAME, NO_NUMBERS, NO_SPREAD, ONE_ITEM, group_rows, peer_distances
from agreement.reliability.alpha import alpha

pytestmark = pytest.mark.quick
ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("ab"), st.sampled_from("rstu"), st.integers(1, 4)),
    min_size=2, max_size=40, unique_by=lambda row: row[:3],
)  # fmt: skip


def rated(rows):
    """Ratings from rows (item, output, rater, value)."""
    return collect(*([row[column] for row in rows] for column in range(4)))


def slow_distances(rows, level):
    """The distances by their definition, one loop per rating: a second implementation."""
    found = []
    for item, output, rater, value in rows:
        others = [row[3] for row in rows if row[:2] == (item, output) and row[2] != rater]
        if others:
            gaps = [(value - one) ** 2 if level == "interval" else float(value != one) for one in others]
            found.append((sum(gaps) / len(others), value - sum(others) / len(others)))
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["nominal", "interval"])
@given(rows=ROWS)
def test_distances_are_those_of_their_definition(level, rows):
    peers = peer_distances(rated(rows), level)
    slow = slow_distances(rows, level)
    assert peers.distance * peers.unit**2 == pytest.approx([one for one, _ in slow], abs=1e-9)
    if level == "interval":
        assert peers.signed * peers.unit == pytest.approx([one for _, one in slow], abs=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["nominal", "interval"])
@given(rows=ROWS)
def test_together_they_are_alpha(level, rows):
    ratings = rated(rows)
    whole = alpha(ratings.unit, ratings.value, level)
    assert peer_distances(ratings, level).alpha == (None if whole is None else pytest.approx(whole, abs=1e-9))


def test_a_worked_example_by_rater():
    """Three raters of two outputs; u gives 5 and 1, where the others agree on 1 and 1, 2 and 2."""
    rows = [(0, "a", "r", 1), (0, "a", "s", 1), (0, "a", "u", 5), (1, "a", "r", 2), (1, "a", "s", 2), (1, "a", "u", 1)]
    ratings = rated(rows)
    groups = {name: np.flatnonzero(ratings.rater == code) for code, name in enumerate(ratings.raters)}
    peers = peer_distances(ratings, "interval")
    r, _, u = group_rows(peers, groups, directed=True)
    assert (u["differ"], u["bias"]) == (1.0, pytest.approx((4 - 1) / 2))
    assert (r["differ"], r["bias"]) == (0.5, pytest.approx((-2 + 0.5) / 2))
    assert (u["ratings"], u["items"]) == (2, 2)
    assert u["undefined"] == {"differ_ci": NO_SPREAD}
    # the parts of the groups, weighted by their ratings, are 1 - alpha
    parts = [row["relative"] * row["ratings"] / 6 for row in group_rows(peers, groups)]
    assert sum(parts) == pytest.approx(1 - alpha(ratings.unit, ratings.value, "interval"))


def test_the_interval_is_near_that_of_resampled_items():
    rng = np.random.default_rng(4)
    rows = [(item, "a", rater, int(rng.integers(1, 4))) for item in range(150) for rater in "rst"[: 2 + item % 2]]
    peers = peer_distances(rated(rows), "nominal")
    [row] = group_rows(peers, {"": np.arange(peers.place.size)})
    sums, sizes = (np.bincount(peers.item, weights) for weights in (peers.differs, np.ones(peers.item.size)))
    drawn = rng.integers(0, 150, size=(4000, 150))
    low, high = np.percentile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [2.5, 97.5])
    assert row["differ_ci"] == pytest.approx([low, high], abs=0.01)


def test_what_is_undefined_says_why():
    [row] = group_rows(peer_distances(rated([(0, "a", "r", 1), (0, "a", "s", 1)]), "nominal"), {"": np.arange(2)},
                       directed=True)  # fmt: skip
    assert row["relative"] is row["bias"] is row["differ_ci"] is None
    assert row["undefined"] == {"relative": ALL_SAME, "bias": NO_NUMBERS, "differ_ci": ONE_ITEM}


def test_ends_of_shares_stay_between_0_and_1():
    rows = [(item, "a", rater, int(rater == "s" and item == 0)) for item in range(12) for rater in "rs"]
    peers = peer_distances(rated(rows), "nominal")
    [row] = group_rows(peers, {"": np.arange(peers.place.size)})
    assert row["differ_ci"][0] == 0.0
