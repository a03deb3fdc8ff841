"""Wilcoxon's signed-rank test of many pairs of systems at once (Wilcoxon 1945)."""

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from agreement.arrays.rating_arrays import Floats, Ints

MOST_SIGNS = 13
"""With at most as many differences, the test is exact if some are tied or 0, too."""
MOST_EXACT = 50
"""With at most as many differences, none of them tied or 0, the test is exact."""


def signed_rank_p(difference: Floats, count: Ints) -> Floats:
    """The two-sided p-value of each row of differences (rows, n); differences of 0 are left out.

    `count` (rows,) is the number of differences of a row: the others of its entries are 0. Each row has one that is
    not 0. The p-values are those that scipy gives for one row by itself, which takes a millisecond, and a second if it
    tries all signs of a few tied differences.
    """
    size = np.sort(np.abs(difference), axis=1)
    tied = ((size[:, 1:] == size[:, :-1]) & (size[:, 1:] > 0)).any(axis=1)
    tied |= np.count_nonzero(size, axis=1) < count
    exact, few = ~tied & (count <= MOST_EXACT), tied & (count <= MOST_SIGNS)
    p = np.empty(count.size)
    if exact.any():
        p[exact] = wilcoxon(difference[exact], axis=1, method="exact", keepdims=True).pvalue[:, 0]
    if (many := ~exact & ~few).any():
        p[many] = wilcoxon(difference[many], axis=1, method="asymptotic", keepdims=True).pvalue[:, 0]
    p[few] = _few_tied(difference[few])
    return p


def _few_tied(difference: Floats) -> NDArray[np.float64]:
    """The p-values over all signs of the differences other than 0, of which each row has at most MOST_SIGNS."""
    order = np.argsort(-np.abs(difference), axis=1, kind="stable")[:, :MOST_SIGNS]
    kept = np.take_along_axis(difference, order, axis=1)
    zeros = np.count_nonzero(kept == 0, axis=1)
    ranks = rankdata(np.abs(kept), axis=1) - zeros[:, None]
    twice = np.where(kept == 0, 0, 2 * ranks).astype(np.int64)  # multiples of a half, which then compare exactly
    observed = np.where(kept > 0, twice, 0).sum(axis=1)
    sums = np.arange(int(twice.sum(axis=1).max(initial=0)) + 1)
    chance = np.zeros((observed.size, sums.size))
    chance[:, 0] = 1.0
    for rank in twice.T:
        before = sums - rank[:, None]
        with_it = np.take_along_axis(chance, np.maximum(before, 0), axis=1)
        chance = (chance + np.where(before < 0, 0.0, with_it)) / 2
    below = np.where(sums <= observed[:, None], chance, 0.0).sum(axis=1)
    above = np.where(sums >= observed[:, None], chance, 0.0).sum(axis=1)
    return np.minimum(1.0, 2 * np.minimum(below, above))
