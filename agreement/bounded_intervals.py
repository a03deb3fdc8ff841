"""Intervals of shares and of means of values in 0..1: they stay in 0..1, and have a width even if all values are equal.

Wilson's score interval (Wilson 1927, JASA 22, 209-212), which Brown, Cai and DasGupta (2001, Statistical Science 16,
101-133) recommend for few trials. Values in 0..1 with mean p have a variance of at most p (1 - p) (Bhatia and Davis
2000, American Mathematical Monthly 107, 353-357), as a share has, so its interval is wide enough for their mean.
"""

import numpy as np

from agreement.rating_arrays import Floats, Ints

Z = 1.959963984540054


def wilson(k: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share k of n, n > 0."""
    share, square = k / n, Z**2 / n
    middle, half = share + square / 2, Z * np.sqrt(share * (1 - share) / n + square / (4 * n))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return (0.0 if k == 0 else float(low)), (1.0 if k == n else float(high))


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
