"""The intraclass correlation against the table of Shrout and Fleiss (1979) and an analysis of variance by scipy."""

import numpy as np
import pytest
from scipy import stats

from agreement.arrays.rating_arrays import collect
from agreement.intervals.bootstrap import estimate
from agreement.question_figures.question_report import describe
from agreement.reliability.intraclass import (
    AVERAGE,
    NO_VARIATION,
    SINGLE,
    TOO_FEW_UNITS,
    IntraclassSums,
    intraclass_sums,
)
from tests.fewer import chosen_cases

# Shrout and Fleiss 1979, table 2: four judges of six targets.
TABLE = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))


def sums_of(groups, items=None):
    """The sums of ratings by unit, one item per unit unless `items` says otherwise."""
    unit = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    value = np.concatenate([np.asarray(group, dtype=np.float64) for group in groups])
    item = np.arange(len(groups)) if items is None else np.asarray(items)
    return intraclass_sums(unit, value, item, int(item.max()) + 1)


def figures(groups, items=None):
    sums = sums_of(groups, items)
    return estimate([sums], len(sums.sums), 0, 0)


def test_the_published_table_gives_the_published_coefficients():
    found = figures(TABLE)
    assert round(found[SINGLE].value, 2) == 0.17  # ICC(1,1) in table 4
    assert round(found[AVERAGE].value, 2) == 0.44  # ICC(1,4)


def test_figures_are_those_of_an_analysis_of_variance_with_any_numbers_of_raters():
    rng = np.random.default_rng(5)
    for _ in range(20):
        sizes = rng.integers(2, 6, size=rng.integers(3, 30))
        groups = [rng.normal(60, 8) + rng.normal(0, 10, size=size) for size in sizes]
        f = stats.f_oneway(*groups).statistic
        k = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (sizes.size - 1)
        found = figures([*groups, [3.0]], [*(number // 2 for number in range(len(groups))), 0])  # one rated once
        assert found[SINGLE].value == pytest.approx((f - 1) / (f + k - 1), abs=1e-9)
        assert found[AVERAGE].value == pytest.approx((f - 1) / f, abs=1e-9)


@pytest.mark.parametrize("move", [lambda value: value * 1e-150, lambda value: value * 3e150 - 1e151])
def test_neither_the_origin_nor_the_unit_of_the_scale_matters(move):
    found = figures([move(np.asarray(group, dtype=np.float64)) for group in TABLE])
    assert found[SINGLE].value == pytest.approx(figures(TABLE)[SINGLE].value, abs=1e-6)


@pytest.mark.parametrize(
    ("groups", "reason"),
    [
        (((1, 2), (4,), (5,)), TOO_FEW_UNITS),
        (((1,), (2,)), TOO_FEW_UNITS),
        (((7.1, 7.1), (7.1, 7.1)), NO_VARIATION),
    ],
)
def test_without_units_or_variation_the_reason_is_given(groups, reason):
    found = figures(groups)
    assert (found[SINGLE].value, found[SINGLE].reason) == (None, reason)
    assert (found[AVERAGE].value, found[AVERAGE].reason) == (None, reason)


def test_equal_means_leave_only_the_average_undefined_and_perfect_agreement_is_one():
    equal = figures(((1, 3), (0, 4)))
    assert equal[SINGLE].value == pytest.approx(-1)
    assert equal[AVERAGE].reason == NO_VARIATION
    perfect = figures(((1, 1), (4, 4), (5, 5)))
    assert (perfect[SINGLE].value, perfect[AVERAGE].value) == (1, 1)


@pytest.mark.parametrize("far", chosen_cases([1e4, 1e6, 1e9], [1e9]))
def test_two_values_far_off_the_scale_among_many_ratings_do_not_hide_that_raters_differ(far):
    rng = np.random.default_rng(1)
    groups = [*(rng.normal(50, 20) + rng.normal(0, 10, size=3) for _ in range(20_000)), [far, far * 0.9, 50.0]]
    f = stats.f_oneway(*groups).statistic
    found = figures(groups)
    assert found[SINGLE].value == pytest.approx((f - 1) / (f + 2), abs=1e-6)
    without = IntraclassSums(**{**vars(sums_of(groups)), "sums": sums_of(groups).sums[:-1]})
    plain = figures(groups[:-1])[SINGLE].value
    assert without.at(np.ones((1, 20_000)))[0, 0] == pytest.approx(plain, abs=1e-4)
    assert 0.7 < plain < 0.9


def test_ratings_that_differ_in_their_last_bits_alone_agree():
    found = figures([(0.3, 0.1 + 0.2), (7.1, 7.1), (2.2, 1.1 + 1.1)])
    assert (found[SINGLE].value, found[AVERAGE].value) == (1, 1)
    shifted = figures([(1e6 + 0.25, 1e6 + 0.75), (1e6, 1e6 + 1.0), (1e6 + 0.5, 1e6 + 0.5)])
    assert shifted[AVERAGE].reason == NO_VARIATION


def test_a_report_has_it_with_an_interval_only_if_asked():
    rows = [
        (f"i{target}", f"o{target}", f"r{judge}", score)
        for target, scores in enumerate(TABLE)
        for judge, score in enumerate(scores)
    ]
    given = collect(*zip(*rows, strict=True))
    report = describe(given, level="interval", scale=(0, 10), step=None, with_icc=True, replicates=200)
    low, high = report["icc_single_ci"]
    assert low < report["icc_single"] < high
    assert "icc_single" not in describe(given, level="interval", scale=(0, 10), step=None, replicates=0)
