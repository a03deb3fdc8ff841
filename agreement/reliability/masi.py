"""Krippendorff's alpha of values that are sets, with the MASI distance (Passonneau 2006), from sums over items.

MASI distance = 1 - J M. J is Jaccard's |A & B| / |A | B|; M is 1 for equal sets, 2/3 if one contains the other, 1/3 if
they overlap and 0 if they are disjoint. Alpha is that of `agreement.reliability.alpha` with this distance instead of
delta squared; the letters are the same.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import Tally, counts_by_item, sum_by, tally
from agreement.intervals.bootstrap import Key
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE

CELLS_AT_ONCE = 16_000_000
"""Distances held in memory at once; if all pairs of sets fit, they are computed only once."""


@dataclass(frozen=True)
class SetAlphaSums:
    """The sums for alpha: `counts` (I, K) of the sets, `observed` (I,), and `sets` (K, E) of 0 and 1."""

    key: Key
    counts: Floats | csr_array
    observed: Floats
    sets: csr_array
    distances: Floats | None

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key,)

    def reason(self, key: Key) -> str:
        return NO_VARIATION if self.counts.sum() else NOTHING_PAIRABLE

    def at(self, weights: Floats) -> Floats:
        """Alpha, (b, 1), with item i counted `weights[:, i]` times; NaN if all values are the same."""
        n_c = weights @ self.counts
        n = n_c.sum(axis=1)
        expected = np.zeros_like(n)
        step = max(1, CELLS_AT_ONCE // max(self.sets.shape[0], 1))
        for row in range(0, self.sets.shape[0], step):
            rows = slice(row, row + step)
            distances = masi(self.sets[rows], self.sets) if self.distances is None else self.distances[rows]
            expected += np.einsum("bk,bk->b", n_c[:, rows], n_c @ distances.T)
        varied = np.count_nonzero(n_c, axis=1) > 1
        observed = weights @ self.observed
        ratio = np.divide((n - 1) * observed, expected, out=np.full_like(n, np.nan), where=varied)
        return without_noise(1 - ratio)[:, None]


def masi(left: csr_array, right: csr_array) -> Floats:
    """MASI distances between the sets that are the rows of two 0-1 matrices, (rows of left, rows of right)."""
    shared = (left @ right.T).toarray()
    return _distance(shared, left.sum(axis=1)[:, None], right.sum(axis=1)[None, :])


def _distance(shared: Floats, left: Floats | Ints, right: Floats | Ints) -> Floats:
    """The distance of two sets of sizes `left` and `right` with `shared` common elements; arrays broadcast."""
    smaller, larger = np.minimum(left, right), np.maximum(left, right)
    contained = np.where(shared == larger, 1, 2 / 3)
    monotone = np.where(shared == smaller, contained, np.where(shared > 0, 1 / 3, 0.0))
    return 1 - shared / np.maximum(left + right - shared, 1) * monotone


def masi_sums(
    key: Key, unit: Ints, code: Ints, item: Ints, items: int, sets: csr_array, sides: Sides | None = None
) -> SetAlphaSums:
    """The sums over each item.

    `unit` and `code` are (R,), one entry per rating, without repeats; `code` is a row of `sets`; `item` (U,) is the
    item of each unit and `items` the number of item codes. With `sides`, codes are choices within pairs.
    """
    pairable = np.bincount(unit, minlength=item.size)[unit] > 1
    values = None if sides is None else sides.values
    counted = tally(unit[pairable], code[pairable].astype(np.float64), item.size, values)
    sets = sets[counted.values.astype(np.int64)]
    small = sets.shape[0] ** 2 <= CELLS_AT_ONCE
    distances = masi(sets, sets) if small else None
    counts = counts_by_item(item[counted.unit], counted.code, counted.n, (items, sets.shape[0]))
    return SetAlphaSums(
        key=key,
        counts=counts if sides is None else sides.shared(counts),
        observed=sum_by(item, _observed(counted, sets, distances), items),
        sets=sets,
        distances=distances,
    )


def _observed(counted: Tally, sets: csr_array, distances: Floats | None) -> Floats:
    """sum_ck n_uc n_uk delta_ck / (m_u - 1) of each unit, (U,)."""
    cells = np.diff(counted.start, append=counted.n.size)
    partners = np.repeat(cells, cells)
    first = np.repeat(np.arange(counted.n.size), partners)
    run = np.arange(first.size) - np.repeat(np.cumsum(partners) - partners, partners)
    second = np.repeat(np.repeat(counted.start, cells), partners) + run
    c, k = counted.code[first], counted.code[second]
    if distances is not None:
        distance = distances[c, k]
    else:
        shared = sets[c].multiply(sets[k]).sum(axis=1)
        size = sets.sum(axis=1)
        distance = _distance(shared, size[c], size[k])
    total = sum_by(counted.unit[first], counted.n[first] * counted.n[second] * distance, counted.m.size)
    return total / np.maximum(counted.m - 1, 1)
