from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.arrays.rating_arrays import collect
from agreement.arrays.tally import tally
from agreement.reliability.leave_one_out import leave_one_out, rating_scores, unit_scores


def score(values):
    return unit_scores(tally(np.zeros(len(values), dtype=np.int64), np.array(values, dtype=float)))[0]


def by_definition(values):
    total = 0.0
    for left_out, value in enumerate(values):
        others = Counter(values[:left_out] + values[left_out + 1 :])
        modes = [other for other, n in others.items() if n == max(others.values())]
        total += (value in modes) / len(modes)
    return total / len(values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 1, 1], 1),
        ([1, 1, 2], 1 / 3),  # each 1 faces {1, 2}, two modes: 1/2 twice; the 2 faces {1, 1}
        ([1, 2, 3], 0),
        ([1, 1, 2, 2], 0),
        ([1, 1, 1, 2], 3 / 4),
        ([1, 1, 2, 3], 2 * (1 / 3) / 4),
    ],
)
def test_a_unit_worked_by_hand(values, expected):
    assert score(values) == pytest.approx(expected)


@settings(max_examples=150)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=9))
def test_leave_one_out_equals_its_definition(values):
    assert score(values) == pytest.approx(by_definition(values))


def test_units_with_fewer_than_three_ratings_do_not_count():
    unit, value = np.array([0, 0, 0, 1, 1, 2, 2, 2]), np.array([1.0, 1, 2, 1, 1, 4, 4, 4])
    sums = leave_one_out(tally(unit, value), np.array([0, 0, 1]), 2)
    np.testing.assert_allclose(sums.at(np.array([[1.0, 1], [1, 0], [0, 1]]))[:, 0], [2 / 3, 1 / 3, 1])


def test_leave_one_out_needs_three_ratings_of_a_unit():
    sums = leave_one_out(tally(np.array([0, 0]), np.ones(2)), np.array([0]), 1)
    assert np.isnan(sums.at(np.ones((1, 1)))[0, 0])


@settings(max_examples=80)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=5))
def test_each_rating_scores_by_the_mode_of_the_others_of_its_unit(units):
    rows = [(str(unit), f"r{rater}", value) for unit, own in enumerate(units) for rater, value in enumerate(own)]
    items, raters, values = zip(*rows, strict=True)
    ratings = collect(items, [None] * len(rows), raters, values)
    place, scores = rating_scores(ratings)
    expected = {}
    for number, (item, rater, value) in enumerate(rows):
        others = Counter(said for unit, other, said in rows if unit == item and other != rater)
        modes = [other for other, n in others.items() if n == max(others.values())]
        if modes:
            expected[number] = (value in modes) / len(modes)
    assert dict(zip(place.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)
