"""Intervals of shares and of means in 0..1."""

import numpy as np
import pytest
from scipy import stats

from agreement.bounded_intervals import mean_interval, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 20), (3, 20), (20, 20), (1, 2)])
def test_wilson_equals_scipy(k, n):
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert wilson(k, n) == pytest.approx((expected.low, expected.high))


def test_the_mean_of_zeros_and_ones_has_wilsons_interval_and_equal_values_a_width():
    assert mean_interval(np.array([1.0, 0, 1, 1])) == pytest.approx(wilson(3, 4))
    low, high = mean_interval(np.ones(6))
    assert (low, high) == pytest.approx(wilson(6, 6))
    assert low < 0.7


def test_values_of_one_cluster_count_as_one():
    values, cluster = np.array([1.0, 1, 0, 0, 1, 1]), np.array([4, 4, 7, 7, 9, 9])
    assert mean_interval(values, cluster) == pytest.approx(wilson(2, 3))
    assert mean_interval(values, np.arange(6)) == pytest.approx(wilson(4, 6))


def test_it_covers_the_mean_of_partial_shares_at_least_as_often_as_it_says():
    random, true, covered = np.random.default_rng(5), 0.8, 0
    for _ in range(1000):
        low, high = mean_interval(random.beta(4, 1, size=12))
        covered += low <= true <= high
    assert covered >= 940
