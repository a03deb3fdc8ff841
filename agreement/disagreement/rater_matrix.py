"""Raters against raters and values against values, from the units that two raters share.

Counts of pairs are products of sparse tables: with B[(u, c), r] = 1 if rater r gave unit u the value c, B'B has the
number of units on which two raters agree, and A'A with A[u, r] the number that both rated.
"""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import tally
from agreement.reliability.alpha import largest

MOST_RATERS = 40
"""A matrix has the raters with the most ratings; more cells cannot be read."""
MOST_VALUES = 25
TOO_MANY_VALUES = f"there are more than {MOST_VALUES} distinct values"
NOTHING_SHARED = "no unit was rated by two raters"


def rater_matrix(ratings: Ratings, directed: bool) -> dict[str, Any]:
    """Each two raters' number of shared units `n`, of equal values `equal`, and with `directed` values the mean
    difference `difference` of the row's rater minus the column's, None if they share no unit, or if it is too large.

    `ratings` are without repeats. `left_out` is the number of raters beyond MOST_RATERS.
    """
    counts = np.bincount(ratings.rater, minlength=len(ratings.raters))
    chosen = [int(code) for code in np.argsort(-counts, kind="stable")[:MOST_RATERS] if counts[code]]
    chosen.sort(key=lambda code: ratings.raters[code])
    column = np.full(len(ratings.raters), -1, dtype=np.int64)
    column[chosen] = np.arange(len(chosen))
    kept = np.flatnonzero(column[ratings.rater] >= 0)
    unit, rater, value = ratings.unit[kept], column[ratings.rater[kept]], ratings.value[kept]
    shape = (ratings.item.size, len(chosen))
    there = _table(np.ones(kept.size), unit, rater, shape)
    n = (there.T @ there).toarray()
    values, code = np.unique(value, return_inverse=True)
    cell = unit * max(values.size, 1) + code
    _, cell = np.unique(cell, return_inverse=True)
    given = _table(np.ones(kept.size), cell, rater, (int(cell.max(initial=-1)) + 1, len(chosen)))
    equal = (given.T @ given).toarray()
    made: dict[str, Any] = {
        "raters": [ratings.raters[code] for code in chosen],
        "n": _whole(n),
        "equal": _whole(equal),
        "difference": None,
        "left_out": int(np.count_nonzero(counts)) - len(chosen),
    }
    if directed:
        scale = largest(value)
        valued = _table(value / scale, unit, rater, shape)
        total = (valued.T @ there).toarray()
        mean = without_noise(np.divide(total - total.T, n, out=np.full_like(total, np.nan), where=n > 0))
        with np.errstate(over="ignore"):
            mean = mean * scale
        made["difference"] = [[float(one) if np.isfinite(one) else None for one in row] for row in mean]
    return made


def value_confusion(ratings: Ratings) -> dict[str, Any]:
    """Krippendorff's coincidences o_ck of the values: how often, beside one rater's c, another gives the unit k.

    Each unit counts its ordered pairs of ratings divided by m_u - 1, so that all cells together are the number of
    pairable ratings. Of choices within pairs it is the mean of the table and that of the exchanged outputs. `values`
    and `counts` are None, with the `reason`, if there are too many values or no pair.
    """
    sides = ratings.sides
    counted = tally(ratings.unit, ratings.value, ratings.item.size, None if sides is None else sides.values)
    if counted.values.size > MOST_VALUES:
        return {"values": None, "counts": None, "reason": TOO_MANY_VALUES}
    pairable = counted.m[counted.unit] > 1
    unit, code, n = counted.unit[pairable], counted.code[pairable], counted.n[pairable].astype(np.float64)
    if not unit.size:
        return {"values": None, "counts": None, "reason": NOTHING_SHARED}
    share = n / (counted.m[unit] - 1)
    shape = (ratings.item.size, counted.values.size)
    coincidences = (_table(n, unit, code, shape).T @ _table(share, unit, code, shape)).toarray()
    coincidences -= np.diag(np.bincount(code, share, counted.values.size))
    if sides is not None:
        coincidences = sides.shared_table(coincidences)
    return {"values": counted.values.tolist(), "counts": np.round(coincidences, 9).tolist(), "reason": ""}


def _table(values: Floats, row: Ints, column: Ints, shape: tuple[int, int]) -> csr_array:
    return csr_array((values, (row, column)), shape=shape)


def _whole(table: Floats) -> list[list[int]]:
    return [[round(one) for one in row] for row in table.tolist()]
