"""Intervals of shares and of means of values in 0..1: they stay in 0..1, and have a width even if all values are equal.

Wilson's score interval (Wilson 1927, JASA 22, 209-212), which Brown, Cai and DasGupta (2001, Statistical Science 16,
101-133) recommend for few trials. Values in 0..1 with mean p have a variance of at most p (1 - p) (Bhatia and Davis
2000, American Mathematical Monthly 107, 353-357), as a share has, so its interval is wide enough for their mean.

Trials about one item are not independent. The effective number of trials is p (1 - p) over the variance of the share
between items, with the correction of Korn and Graubard (1998, Survey Methodology 24, 193-201) for the few items from
which that variance is known. Before the correction it lies between Kish's effective number of items, as if all trials
of one item were the same, which holds if p is 0 or 1, and the number of trials.
"""

from functools import cache

import numpy as np
from scipy import stats

from agreement.arrays.rating_arrays import Floats, Ints

Z = 1.959963984540054
ROUNDING = 1e-24
"""Variances of shares up to this are rounding errors of equal values."""


def wilson(k: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share k of n, n > 0."""
    share, square = k / n, Z**2 / n
    middle, half = share + square / 2, Z * np.sqrt(share * (1 - share) / n + square / (4 * n))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return (0.0 if k == 0 else float(low)), (1.0 if k == n else float(high))


def clustered_mean(mean: float, above: Floats, below: Floats, ends: tuple[float, float]) -> tuple[float, float]:
    """The 95 % interval of `mean`, sum of `above` over sum of `below`, both (I,), of values between two `ends`.

    `below` counts the trials of each item; at least two items must have some.
    """
    low, high = ends
    used = below > 0
    above, below = (above[used] - low * below[used]) / (high - low), below[used]
    share = min(max((mean - low) / (high - low), 0.0), 1.0)
    n = _effective_trials(share, above, below, is_share=ends == (0.0, 1.0))
    start, end = wilson(n if share == 1 else share * n, n)
    return low + (high - low) * start, low + (high - low) * end


def _effective_trials(share: float, above: Floats, below: Floats, *, is_share: bool) -> float:
    """The number of independent trials that say as much about the share; trials of a share are 0 or 1."""
    trials, items = float(below.sum()), below.size
    fewest = trials**2 / float((below**2).sum())
    variance = float(((above - share * below) ** 2).sum()) / trials**2 * items / (items - 1)
    binomial = share * (1 - share)
    if share in (0.0, 1.0) or (variance <= ROUNDING and not is_share):
        n = fewest
    else:
        most = max(trials, fewest) if is_share else np.inf
        n = most if variance * most <= binomial else max(binomial / variance, fewest)
    return n * _correction(items)


@cache
def _correction(items: int) -> float:
    """Korn and Graubard's correction for few items."""
    return (Z / float(stats.t.ppf(0.975, items - 1))) ** 2


def mean_interval(values: Floats, cluster: Ints | None = None) -> tuple[float, float]:
    """The 95 % interval of the mean of `values` (N,) in 0..1, N > 0, by Wilson's formula.

    Values of one cluster are taken as equal: the n of the formula is Kish's effective number of clusters,
    (sum n_c)^2 / sum n_c^2 (Kish 1965, Survey Sampling, 11.7).
    """
    n = float(values.size)
    if cluster is not None:
        _, sizes = np.unique(cluster, return_counts=True)
        n = float(sizes.sum()) ** 2 / float((sizes.astype(np.float64) ** 2).sum())
    mean = float(values.mean())
    return wilson(n if mean == 1 else mean * n, n)
