"""The pull of each item on alpha: how alpha changes if the item is left out.

Alpha is a function of sums over items (`agreement.reliability.alpha`), so leaving out item i subtracts its own terms:
with O the sum of observed differences, n_c the counts of values and n their sum, nominal expected differences without i
are (n - n_i)^2 - sum_c (n_c - n_ic)^2 = (n - n_i)^2 - sum_c n_c^2 + 2 sum_c n_c n_ic - sum_c n_ic^2. Interval alpha has
2 (n S2 - S1^2) with the sums S1 and S2 of values and squares. All items together take one pass.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.rounding import without_noise
from agreement.disagreement.peer_distances import PeerLevel
from agreement.reliability.alpha import AlphaSums, alpha_sums

DIGITS = 9
"""Items are ordered by their pull with so many decimals, then as they are."""


def alpha_without(sums: AlphaSums, level: PeerLevel) -> Floats:
    """Alpha without each item, (I,); NaN if the values of the others are all the same."""
    counts = sums.counts
    n_i = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    n_c = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    n = n_i.sum() - n_i
    observed = sums.observed[level].sum() - sums.observed[level]
    if level == "nominal":
        own = counts.multiply(counts).sum(axis=1) if isinstance(counts, csr_array) else (counts * counts).sum(axis=1)
        expected = n * n - (n_c * n_c).sum() + 2 * np.asarray(counts @ n_c) - np.asarray(own)
    else:
        first, second = sums.first.sum() - sums.first, sums.second.sum() - sums.second
        expected = 2 * (n * second - first * first)
    varied = (_values_without(counts, n_c) > 1) & (expected > 0)
    return without_noise(1 - np.divide((n - 1) * observed, expected, out=np.full_like(n, np.nan), where=varied))


def _values_without(counts: Floats | csr_array, n_c: Floats) -> Ints:
    """The number of distinct values without each item, (I,): a value goes if the item has all of its ratings."""
    there = int(np.count_nonzero(n_c))
    if isinstance(counts, csr_array):
        only = counts.data == n_c[counts.indices]
        rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
        return there - np.bincount(rows, only & (counts.data > 0), counts.shape[0]).astype(np.int64)
    return there - np.count_nonzero((counts == n_c) & (counts > 0), axis=1)


def item_pulls(ratings: Ratings, level: PeerLevel, most: int) -> dict[str, list[dict[str, Any]]]:
    """The items that lower alpha most, and those that raise it most, at most `most` each, the strongest first.

    `pull` is alpha minus alpha without the item: negative if the item lowers it. `item` is the item's code. Items
    whose pull is undefined, or 0 but for rounding errors, are left out.
    """
    items = int(ratings.item.max(initial=-1)) + 1
    sums = alpha_sums(ratings.unit, ratings.value, ratings.item, items, (level,), ratings.sides)
    whole = float(sums.at(np.ones((1, items)))[0, 0]) if items else float("nan")
    without = alpha_without(sums, level)
    pull = without_noise(whole - without)
    order = np.argsort(np.round(pull, DIGITS), kind="stable")
    order = order[~np.isnan(pull[order])]

    def rows(chosen: Any) -> list[dict[str, Any]]:
        return [{"item": int(code), "pull": float(pull[code]), "without": float(without[code])} for code in chosen]

    return {
        "lowering": rows([code for code in order[:most] if pull[code] < 0]),
        "raising": rows([code for code in order[::-1][:most] if pull[code] > 0]),
    }
