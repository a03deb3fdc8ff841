"""Intervals of shares and of means in 0..1."""

import numpy as np
import pytest
from scipy import stats

from agreement.intervals.bounded_intervals import Z, clustered_mean, mean_interval, wilson

pytestmark = pytest.mark.quick


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


def test_a_share_of_single_trials_has_wilsons_interval_with_the_correction_for_few():
    above = np.array([1.0, 0, 1, 1, 0, 1, 1, 1])
    n = 8 * (Z / stats.t.ppf(0.975, 7)) ** 2
    assert clustered_mean(0.75, above, np.ones(8), (0, 1)) == pytest.approx(wilson(0.75 * n, n))


def test_an_items_equal_trials_count_as_one_and_independent_ones_each():
    n = lambda trials: trials * (Z / stats.t.ppf(0.975, 3)) ** 2  # noqa: E731
    alike = clustered_mean(0.5, np.array([5.0, 0, 5, 0]), np.full(4, 5.0), (0, 1))
    assert alike == pytest.approx(wilson(n(4) / 2, n(4)))
    apart = clustered_mean(0.5, np.array([2.0, 2, 2, 2]), np.full(4, 4.0), (0, 1))
    assert apart == pytest.approx(wilson(n(16) / 2, n(16)))


@pytest.mark.parametrize("end", [0, 1])
def test_shares_of_nothing_and_of_everything_have_a_width_by_the_items_they_rest_on(end):
    below = np.array([3.0, 3, 0, 3])
    low, high = clustered_mean(end, end * below, below, (0, 1))
    n = 3 * (Z / stats.t.ppf(0.975, 2)) ** 2
    assert (low, high) == pytest.approx(wilson(end * n, n))
    assert 0.5 < high - low < 1


def test_a_difference_of_shares_is_a_share_between_two_other_ends():
    above, below = np.array([2.0, -1, 0, 2]), np.full(4, 2.0)
    low, high = clustered_mean(3 / 8, above, below, (-1, 1))
    one, other = clustered_mean(11 / 16, (above + below) / 2, below, (0, 1))
    assert -1 < low < 3 / 8 < high < 1
    assert (low, high) == pytest.approx((2 * one - 1, 2 * other - 1), abs=0.2)
    always = clustered_mean(1.0, below, below, (-1, 1))
    assert always[1] == 1
    assert always[0] < 0.5


@pytest.mark.parametrize(
    ("items", "trials", "share", "correlation"),
    [
        (10, 1, 0.95, 0),
        (10, 3, 0.95, 0.3),
        (20, 3, 0.99, 0.8),
        (20, 10, 0.8, 0.3),
        (50, 3, 0.5, 0),
        (50, 10, 0.95, 0.3),
    ],
)
def test_it_covers_shares_of_correlated_trials(items, trials, share, correlation):
    random, covered = np.random.default_rng(6), 0
    for _ in range(500):
        own = np.full(items, share)
        if correlation:
            scale = (1 - correlation) / correlation
            own = random.beta(share * scale, (1 - share) * scale, items)
        above = random.binomial(trials, own).astype(float)
        low, high = clustered_mean(float(above.sum() / (items * trials)), above, np.full(items, trials * 1.0), (0, 1))
        covered += low <= share <= high
    assert covered >= 0.9 * 500
