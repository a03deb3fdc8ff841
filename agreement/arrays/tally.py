"""Counts of each value per unit: the matrix n_uc, from which every agreement figure starts."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rating_arrays import Floats, Ints

DENSE_CELLS = 4_000_000
"""With more cells than this, the counts of items by values are kept sparse."""

FEW_VALUES = 1000
"""With at most so many distinct values, the place of each is found by a search."""


@dataclass(frozen=True)
class Tally:
    """The non-zero cells of the units-by-values matrix n_uc, ordered by unit, then by value.

    Shapes: `unit`, `code` and `n` are (C,), one entry per cell; `m` is (U,), the number of ratings of each unit
    (Krippendorff's m_u); `values` is (K,), the distinct values in ascending order, indexed by `code`.
    """

    unit: Ints
    code: Ints
    n: Ints
    m: Ints
    values: Floats

    @property
    def start(self) -> Ints:
        """The first cell of each unit with a rating, (number of such units,)."""
        if not self.unit.size:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.append(True, self.unit[1:] != self.unit[:-1]))


def places_by_code(code: Ints, codes: int) -> list[Ints]:
    """The places in `code` (N,) of each code in 0..`codes`-1, in their order."""
    order = np.argsort(code, kind="stable")
    return np.split(order, np.cumsum(np.bincount(code, minlength=codes))[:-1]) if codes else []


def sum_by(code: Ints, figure: Floats | Ints, codes: int) -> Floats:
    """The sum of `figure` (N,) over the entries of each `code` (N,) in 0..`codes`-1, (codes,)."""
    return np.asarray(np.bincount(code, figure, codes), dtype=np.float64)


def counts_by_item(item: Ints, code: Ints, n: Floats | Ints, shape: tuple[int, int]) -> Floats | csr_array:
    """The sum of `n` (C,) over the entries of each item and code, (I, K) = `shape`; sparse if that is large."""
    items, codes = shape
    if items * codes <= DENSE_CELLS:
        return sum_by(item * codes + code, n, items * codes).reshape(items, codes)
    return csr_array((np.asarray(n, dtype=np.float64), (item, code)), shape=shape)


def tally(unit: Ints, value: Floats, units: int | None = None, values: Floats | None = None) -> Tally:
    """Count the values of each unit.

    `unit` and `value` are (R,) in any order; `units` is the number of units if some may have no rating, `values` are
    all values in ascending order if some may not occur. Sorts one array of R integers, so neither many distinct values
    nor many units need more memory.
    """
    values, key = _codes(value) if values is None else (values, np.searchsorted(values, value))
    key += unit * max(values.size, 1)
    key.sort()
    start = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if key.size else np.zeros(0, dtype=np.int64)
    n = np.diff(start, append=key.size)
    key = key[start]
    cell_unit, code = np.divmod(key, max(values.size, 1))
    m = np.bincount(unit, minlength=0 if units is None else units)
    return Tally(unit=cell_unit, code=code, n=n, m=m, values=values)


def _codes(value: Floats) -> tuple[Floats, Ints]:
    """The distinct values in ascending order, (K,), and the place of each value among them, (R,)."""
    values = np.unique(value)
    if values.size <= FEW_VALUES:
        return values, np.searchsorted(values, value).astype(np.int64, copy=False)
    order = np.argsort(value)  # of many values, a search for each is slower than another sort
    ordered = value[order]
    code = np.empty(value.size, dtype=np.int64)
    code[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return values, code
