"""Krippendorff's alpha at three levels of measurement, from sums over items.

alpha = 1 - D_o / D_e (Krippendorff 2019, Content Analysis, 4th ed., ch. 12). In his letters: m_u ratings of
unit u, n_uc of them with the value c; only units with m_u >= 2 are pairable and count; n_c = sum_u n_uc, n = sum_c
n_c; observed coincidences o_ck = sum_u n_uc (n_uk - [c = k]) / (m_u - 1); D_o = sum_ck o_ck delta2_ck / n;
D_e = sum_ck n_c n_k delta2_ck / (n (n - 1)).

Sums over pairs of values are never formed. Nominal: sum_ck n_c n_k delta2_ck = n^2 - sum_c n_c^2. Interval:
sum_ck n_c n_k (c - k)^2 = 2 n sum_c n_c (c - mean)^2. Ordinal: delta2_ck = (sum_{g=c..k} n_g - (n_c + n_k) / 2)^2 is
(r_k - r_c)^2 with the midrank r_c = sum_{g<c} n_g + n_c / 2, so ordinal alpha is interval alpha of midranks.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from agreement.bootstrap import Key
from agreement.pair_sides import Sides
from agreement.rating_arrays import Floats, Ints
from agreement.tally import Tally, counts_by_item, sum_by, tally

Level = Literal["nominal", "ordinal", "interval"]

CELLS_AT_ONCE = 1_000_000
"""Replicates times units, or times values, held in memory at once."""
NOTHING_PAIRABLE = "no unit was rated by two raters"
NO_VARIATION = "all values of the units rated by two raters are the same"


@dataclass(frozen=True)
class AlphaSums:
    """Per item, the sums from which alpha is computed at each of `levels`; pairable units only.

    `counts` (I, K) is n_c per item. `observed` has, per level, (I,), the sum over the item's units of
    sum_ck n_uc n_uk delta2_ck / (m_u - 1). `first` and `second` (I,) are the sums of the standardised values and of
    their squares. `units` (U, K) is n_uc with `unit_item` and `m` (U,): the ordinal difference depends on the
    marginals of each replicate, so its observed part is computed there.
    """

    levels: tuple[Level, ...]
    counts: Floats | csr_array
    observed: dict[Level, Floats]
    first: Floats
    second: Floats
    units: csr_array | None
    unit_item: Ints
    m: Ints

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((f"alpha_{level}",) for level in self.levels)

    def reason(self, key: Key) -> str:
        return NO_VARIATION if self.counts.sum() else NOTHING_PAIRABLE

    def at(self, weights: Floats) -> Floats:
        """Alpha, (b, len(levels)), with item i counted `weights[:, i]` times; NaN if all values are the same."""
        block = max(1, CELLS_AT_ONCE // max(self.counts.shape[1], self.m.size, 1))
        rows = range(0, weights.shape[0], block)
        return np.concatenate([self._at(weights[row : row + block]) for row in rows])

    def _at(self, weights: Floats) -> Floats:
        n_c = weights @ self.counts
        n = n_c.sum(axis=1)
        varied = np.count_nonzero(n_c, axis=1) > 1
        columns = []
        for level in self.levels:
            observed, expected = self._sums(level, weights, n_c, n)
            ratio = np.divide((n - 1) * observed, expected, out=np.full_like(n, np.nan), where=varied)
            columns.append(1 - ratio)
        return np.stack(columns, axis=1)

    def _sums(self, level: Level, weights: Floats, n_c: Floats, n: Floats) -> tuple[Floats, Floats]:
        """n D_o and n (n - 1) D_e at each replicate, (b,) each."""
        if level == "nominal":
            return weights @ self.observed[level], n * n - (n_c * n_c).sum(axis=1)
        if level == "interval":
            first, second = weights @ self.first, weights @ self.second
            return weights @ self.observed[level], 2 * (n * second - first * first)
        midranks = np.cumsum(n_c, axis=1) - n_c / 2 - n[:, None] / 2  # their mean over the ratings is 0
        return self._observed_ordinal(weights, midranks), 2 * n * (n_c * midranks * midranks).sum(axis=1)

    def _observed_ordinal(self, weights: Floats, midranks: Floats) -> Floats:
        assert self.units is not None
        r = np.ascontiguousarray(midranks.T)
        total, squares = self.units @ r, self.units @ (r * r)  # sum_c n_uc r_c and sum_c n_uc r_c^2
        squares *= self.m[:, None]
        squares -= total * total
        squares *= (2 / (self.m - 1))[:, None]
        return np.einsum("bu,ub->b", weights[:, self.unit_item], squares)


def alpha_sums(
    unit: Ints, value: Floats, item: Ints, items: int, levels: tuple[Level, ...], sides: Sides | None = None
) -> AlphaSums:
    """The sums over each item.

    `unit` and `value` are (R,), one entry per rating, without repeats; `item` (U,) is the item of each unit; `items`
    is the number of item codes, I. With `sides`, which only nominal alpha takes, values are choices within pairs.

    Raises ValueError for an unknown level, or one that takes no `sides`.
    """
    if sides is not None and levels != ("nominal",):
        raise ValueError("choices within pairs are nominal")
    if unknown := set(levels) - {"nominal", "ordinal", "interval"}:
        raise ValueError(f"unknown level of measurement: {', '.join(sorted(unknown))}")
    m = np.bincount(unit, minlength=item.size)
    if (m == 1).any():
        pairable = m[unit] > 1
        unit, value = unit[pairable], value[pairable]
    counted = tally(unit, value, item.size, None if sides is None else sides.values)
    observed: dict[Level, Floats] = {}
    first = second = np.zeros(items)
    counts = counts_by_item(item[counted.unit], counted.code, counted.n, (items, counted.values.size))
    if sides is not None:
        counts = sides.shared(counts)
    if "nominal" in levels:
        observed["nominal"] = sum_by(item, observed_nominal(counted), items)
    units, unit_item, unit_m = _units(counted, item) if "ordinal" in levels else (None, item[:0], m[:0])
    m = counted.m
    del counted  # as large as the ratings: the next steps need the memory
    if "interval" in levels:
        value = standardised(value)
        observed["interval"] = sum_by(item, observed_interval(unit, value, m), items)
        first = sum_by(item, sum_by(unit, value, m.size), items)
        value *= value  # in place: `standardised` returned a new array
        second = sum_by(item, sum_by(unit, value, m.size), items)
    return AlphaSums(levels, counts, observed, first, second, units, unit_item, unit_m)


def standardised(value: Floats) -> Floats:
    """The values minus their mean, scaled to a largest deviation of 1, (R,).

    Interval alpha depends neither on the origin nor on the unit of a scale. Standardised, no square overflows,
    vanishes or is lost in a common offset, whatever numbers a model gives.
    """
    value = value / _largest(value)
    value -= value.mean() if value.size else 0.0
    value /= _largest(value)
    return value


def _largest(value: Floats) -> float:
    """The largest absolute value, or 1 if all are 0; without an array of absolute values."""
    return float(max(value.max(initial=0.0), -value.min(initial=0.0))) or 1.0


def observed_nominal(counted: Tally) -> Floats:
    """sum_{c != k} n_uc n_uk / (m_u - 1) of each unit, (U,); 0 for units that are not pairable."""
    same = sum_by(counted.unit, counted.n * counted.n, counted.m.size)
    return np.where(counted.m > 1, (counted.m * counted.m - same) / np.maximum(counted.m - 1, 1), 0.0)


def observed_interval(unit: Ints, value: Floats, m: Ints) -> Floats:
    """sum_ij (v_i - v_j)^2 / (m_u - 1) over the ratings i, j of each unit, (U,); 0 for units not pairable."""
    mean = sum_by(unit, value, m.size) / np.maximum(m, 1)
    deviation = mean[unit]
    deviation -= value
    deviation *= deviation
    return 2 * m * sum_by(unit, deviation, m.size) / np.maximum(m - 1, 1)


def alpha(unit: Ints, value: Floats, level: Level) -> float | None:
    """Krippendorff's alpha of the values (R,) given to the units `unit` (R,), without repeats.

    None if it is undefined: if no unit has two ratings, or all values of such units are the same.
    """
    one_item = np.zeros(int(unit.max()) + 1 if unit.size else 0, dtype=np.int64)
    value_at_data = alpha_sums(unit, value, one_item, 1, (level,)).at(np.ones((1, 1)))[0, 0]
    return None if np.isnan(value_at_data) else float(value_at_data)


def _units(counted: Tally, item: Ints) -> tuple[csr_array, Ints, Ints]:
    rated = counted.unit[counted.start]
    pointer = np.append(counted.start, counted.n.size)
    shape = (rated.size, counted.values.size)
    return csr_array((counted.n.astype(np.float64), counted.code, pointer), shape=shape), item[rated], counted.m[rated]
