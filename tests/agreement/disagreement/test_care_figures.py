"""Figures of one rater's care."""

from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.disagreement.care_figures import longest_run, mean_share, medians_of_others, same_share, time_ratio


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=20))
def test_the_median_of_the_others_leaves_the_rater_out(rows):
    rater, values = np.array([one for one, _ in rows], dtype=np.int64), np.array([float(two) for _, two in rows])
    expected = []
    for own in range(4):
        others = [value for one, value in rows if one != own]
        expected.append(median(others) if others else None)
    assert medians_of_others(values, rater, 4) == expected


def test_the_longest_row_is_counted_and_compared_with_random_order():
    steady = longest_run(["A"] * 12 + list("BCDEFGHIJKLM"), seed=1)
    assert (steady["n"], steady["value"]) == (24, 12)
    assert steady["high"] < 12
    always = longest_run(["A"] * 10, seed=1)
    assert (always["value"], always["low"], always["high"]) == (10, 10, 10)
    assert longest_run(list("AABBBA") * 2, seed=1)["value"] == 3


def test_the_share_of_the_most_common_form_finds_who_alternates():
    assert same_share(["A", "B"] * 10)["value"] == 0.5
    assert longest_run(["A", "B"] * 10, seed=1)["value"] == 1


@pytest.mark.parametrize("figure", [
    longest_run(["A"] * 9, seed=1), same_share([]), mean_share([1.0] * 4), time_ratio([3.0] * 9, 2.0, seed=1),
])  # fmt: skip
def test_too_few_are_said_to_be_too_few(figure):
    assert figure["value"] is figure["low"] is figure["high"] is None
    assert figure["reason"].startswith("too few to say")


def test_a_rater_alone_has_no_time_to_be_compared_with():
    assert time_ratio([3.0] * 10, None, seed=1)["reason"] == "the others have no times"
