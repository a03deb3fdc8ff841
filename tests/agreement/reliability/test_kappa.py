from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.arrays.tally import tally
from agreement.reliability.kappa import (
    ALL_SAME,
    NO_CHANCE,
    NO_SHARED,
    NOTHING_SHARED,
    ONE_CATEGORY,
    TOO_FEW_RATERS,
    TOO_MANY_RATERS,
    TOO_MANY_VALUES,
    WEIGHTS,
    chance_corrected,
    kappa_pairs,
    kappas,
)

pytestmark = pytest.mark.quick
GAP = None
# Gwet 2014, Handbook of Inter-Rater Reliability: 12 units, 4 raters, 5 categories.
GWET = [
    [1, 1, GAP, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [GAP, 5, 5, 5],
    [GAP, GAP, 1, 1],
    [GAP, GAP, 3, GAP],
]
# Ten units with 14 ratings each, how many of each of five categories: the textbook example of Fleiss' kappa.
TEN_BY_FOURTEEN = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
# Drawn at random; the figures were computed with irrCAC 0.4.4.
WITH_GAPS = [
    [GAP, GAP, 3],
    [4, 4, 4],
    [4, 1, GAP],
    [GAP, GAP, 4],
    [GAP, 1, GAP],
    [4, GAP, 4],
    [1, 1, 4],
    [2, 2, GAP],
    [3, 2, 4],
    [2, 2, GAP],
    [3, 3, GAP],
    [4, 4, 4],
    [3, 3, 2],
    [4, GAP, 1],
    [GAP, 1, GAP],
]
# Drawn at random; the figures were computed with scikit-learn 1.9.1.
LEFT = [4, 1, 1, 2, 5, 5, 4, 3, 3, 1, 2, 5, 3, 2, 2, 4, 1, 5, 5, 3, 3, 4, 3, 3, 2, 3, 4, 1, 1, 4]
RIGHT = [4, 2, 1, 3, 4, 5, 5, 2, 3, 2, 2, 4, 3, 2, 3, 5, 1, 4, 5, 2, 4, 5, 3, 4, 2, 3, 5, 2, 2, 5]
COMPUTED = {"cohen_kappa_pairs": 0.254144, "kappa_linear_pairs": 0.602356, "kappa_quadratic_pairs": 0.830933}


@pytest.fixture
def table_of(ratings_of):
    """Ratings from a table of units by raters with gaps; each unit is its own item."""

    def build(table):
        rows = [
            (unit, "a", f"r{rater:02}", value)
            for unit, row in enumerate(table)
            for rater, value in enumerate(row)
            if value is not None
        ]
        return ratings_of(rows)

    return build


def several(ratings, categories):
    counted = tally(ratings.unit, ratings.value, ratings.item.size)
    items = ratings.item.size
    return chance_corrected(counted, ratings.item, items, categories).at(np.ones((1, items)))[0]


def of_pairs(ratings, names=tuple(WEIGHTS)):
    items = ratings.item.size
    return {
        key: value
        for sums in kappa_pairs(ratings, items, names)
        for key, value in zip(sums.keys, sums.at(np.ones((1, items)))[0], strict=True)
    }


@pytest.mark.parametrize(
    ("table", "q", "fleiss", "ac1"), [(GWET, 5, 0.76117, 0.77544), (WITH_GAPS, 4, 0.45733, 0.48031)]
)
def test_figures_with_missing_ratings_match_the_published_example(table_of, table, q, fleiss, ac1):
    assert several(table_of(table), q) == pytest.approx([fleiss, ac1], abs=5e-6)


def test_fleiss_kappa_of_the_textbook_example(table_of):
    table = [[value for value, n in enumerate(row) for _ in range(n)] for row in TEN_BY_FOURTEEN]
    assert several(table_of(table), 5)[0] == pytest.approx(0.210, abs=5e-4)


def test_cohens_kappa_worked_by_hand(table_of):
    # 20 and 15 agree, 5 and 10 do not: p_o = 0.7, p_e = 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    table = [[1, 1]] * 20 + [[1, 0]] * 5 + [[0, 1]] * 10 + [[0, 0]] * 15
    figures = of_pairs(table_of(table))
    assert all(value == pytest.approx(0.4) for value in figures.values())


def test_weighted_kappa_equals_an_independent_implementation(table_of):
    figures = of_pairs(table_of(zip(LEFT, RIGHT, strict=True)))
    assert {name: figures[name, "0"] for name in WEIGHTS} == pytest.approx(COMPUTED, abs=5e-7)


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from([None, 1, 2, 4])] * 2), min_size=1, max_size=12),
    power=st.sampled_from([1, 2]),
)
def test_weighted_kappa_is_its_definition(rows, power):
    shared = [(a, b) for a, b in rows if a is not None and b is not None]
    from agreement.arrays.rating_arrays import collect

    flat = [(u, r, v) for u, row in enumerate(rows) for r, v in enumerate(row) if v is not None]
    if len({r for _, r, _ in flat}) < 2:
        return
    ratings = collect([u for u, _, _ in flat], [None] * len(flat), [str(r) for _, r, _ in flat], [v for *_, v in flat])
    name = {1: "kappa_linear_pairs", 2: "kappa_quadratic_pairs"}[power]
    ours = of_pairs(ratings, (name,))[name, "0"]
    expected = sum(abs(a - b) ** power for (a, _), (_, b) in product(shared, shared))
    observed = sum(abs(a - b) ** power for a, b in shared)
    if not expected:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(1 - observed * len(shared) / expected)


def test_pairs_come_in_the_order_of_the_raters_names(ratings_of):
    rows = [
        (unit, "a", rater, value)
        for unit, row in enumerate([(1, 1, 2), (2, 2, 1), (1, 2, 1)])
        for rater, value in zip("cab", row, strict=True)
    ]
    figures = of_pairs(ratings_of(rows), ("cohen_kappa_pairs",))
    # a is (1, 2, 2), b is (2, 1, 1), c is (1, 2, 1).
    assert figures["cohen_kappa_pairs", "0"] < 0  # a and b
    assert figures["cohen_kappa_pairs", "1"] > 0  # a and c


def test_weights_repeat_items_as_often_as_they_are_drawn(table_of):
    ratings = table_of([[1, 1], [1, 2], [2, 2], [3, 1]])
    weights = np.array([2.0, 1, 1, 0])
    drawn = table_of([[1, 1], [1, 1], [1, 2], [2, 2]])
    for sums, again in zip(kappa_pairs(ratings, 4, tuple(WEIGHTS)), kappa_pairs(drawn, 4, tuple(WEIGHTS)), strict=True):
        assert sums.at(weights[None])[0] == pytest.approx(again.at(np.ones((1, 4)))[0])
    counted = tally(ratings.unit, ratings.value, 4)
    assert chance_corrected(counted, ratings.item, 4, 3).at(weights[None])[0] == pytest.approx(several(drawn, 3))


def test_values_that_are_all_the_same_leave_ac1_defined(table_of):
    ratings = table_of([[3, 3], [3, 3]])
    fleiss, ac1 = several(ratings, 5)
    assert np.isnan(fleiss)
    assert ac1 == 1
    sums = chance_corrected(tally(ratings.unit, ratings.value, 2), ratings.item, 2, 1)
    assert np.isnan(sums.at(np.ones((1, 2)))).all()
    assert [sums.reason(key) for key in sums.keys] == [ALL_SAME, ONE_CATEGORY]
    pair = kappa_pairs(ratings, 2, ("cohen_kappa_pairs",))[0]
    assert pair.reason(pair.keys[0]) == NO_CHANCE


def test_raters_without_a_shared_unit_have_no_kappa(table_of):
    ratings = table_of([[1, None], [None, 2]])
    pair = kappa_pairs(ratings, 2, ("cohen_kappa_pairs",))[0]
    assert np.isnan(pair.at(np.ones((1, 2)))).all()
    assert pair.reason(pair.keys[0]) == NO_SHARED
    sums = chance_corrected(tally(ratings.unit, ratings.value, 2), ratings.item, 2, 5)
    assert np.isnan(sums.at(np.ones((1, 2)))).all()
    assert {sums.reason(key) for key in sums.keys} == {NOTHING_SHARED}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1], [2]], TOO_FEW_RATERS),
        ([[1, 2, 3, 4, 5]], TOO_MANY_RATERS),
        ([[value, value] for value in range(101)], TOO_MANY_VALUES),
    ],
)
def test_too_many_raters_or_values_have_a_reason(table_of, table, reason):
    ratings = table_of(table)
    counted = tally(ratings.unit, ratings.value, ratings.item.size)
    sums, undefined = kappas(ratings, counted, ratings.item.size, 101, ("cohen_kappa_pairs",))
    assert undefined["cohen_kappa_pairs"] == reason
    assert (sums == []) == (reason == TOO_MANY_VALUES)
