"""Raters against raters and values against values, compared with loops over pairs."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.arrays.rating_arrays import collect
from agreement.disagreement.rater_matrix import (
    MOST_RATERS,
    NOTHING_SHARED,
    TOO_MANY_VALUES,
    rater_matrix,
    value_confusion,
)

ROWS = st.lists(
    st.tuples(st.integers(0, 5), st.just("a"), st.sampled_from("rstu"), st.integers(1, 3)),
    min_size=1, max_size=24, unique_by=lambda row: row[:3],
)  # fmt: skip


def rated(rows):
    return collect(*([row[column] for row in rows] for column in range(4)))


@given(rows=ROWS)
def test_counts_are_those_of_a_loop_over_pairs(rows):
    made = rater_matrix(rated(rows), directed=True)
    for one, left in enumerate(made["raters"]):
        for other, right in enumerate(made["raters"]):
            pairs = [(a[3], b[3]) for a in rows for b in rows if (a[0], a[2], b[2]) == (b[0], left, right)]
            assert made["n"][one][other] == len(pairs)
            assert made["equal"][one][other] == sum(a == b for a, b in pairs)
            mean = sum(a - b for a, b in pairs) / len(pairs) if pairs else None
            assert made["difference"][one][other] == (None if mean is None else pytest.approx(mean))


@given(rows=ROWS)
def test_confusion_has_the_coincidences_of_the_definition(rows):
    made, expected = value_confusion(rated(rows)), Counter()
    for item in {row[0] for row in rows}:
        values = [row[3] for row in rows if row[0] == item]
        for a, b in permutations(values, 2):
            expected[a, b] += 1 / (len(values) - 1)
    if not expected:
        assert made["reason"] == NOTHING_SHARED
        return
    for place, one in enumerate(made["values"]):
        assert made["counts"][place] == pytest.approx([expected[one, other] for other in made["values"]])


def test_a_matrix_keeps_the_raters_with_the_most_ratings():
    rows = [(item, "a", f"r{rater:03}", 1) for rater in range(MOST_RATERS + 5) for item in range(1 + rater)]
    made = rater_matrix(rated(rows), directed=False)
    assert (made["left_out"], made["raters"][0], made["difference"]) == (5, "r005", None)


def test_too_many_values_are_not_crossed():
    rows = [(item, "a", rater, item) for item in range(30) for rater in "rs"]
    assert value_confusion(rated(rows)) == {"values": None, "counts": None, "reason": TOO_MANY_VALUES}
