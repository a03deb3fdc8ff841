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
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import Tally, counts_by_item, sum_by, tally
from agreement.intervals.bootstrap import Key

Level = Literal["nominal", "ordinal", "interval"]

CELLS_AT_ONCE = 100_000
"""Replicates times ratings, or times values, held at once: few enough to stay in the processor's cache."""
NOTHING_PAIRABLE = "no unit was rated by two raters"
NO_VARIATION = "all values of the units rated by two raters are the same"


@dataclass(frozen=True)
class EqualUnits:
    """The units with m ratings each: the codes of their values (m, U) and their items (U,)."""

    codes: Ints
    item: Ints


@dataclass(frozen=True)
class AlphaSums:
    """Per item, the sums from which alpha is computed at each of `levels`; pairable units only.

    `counts` (I, K) is n_c per item. `observed` has, per level, (I,), the sum over the item's units of
    sum_ck n_uc n_uk delta2_ck / (m_u - 1). `first` and `second` (I,) are the sums of the standardised values and of
    their squares. `units` are all units by their number of ratings: the ordinal difference depends on the marginals of
    each replicate, so its observed part is computed there.
    """

    levels: tuple[Level, ...]
    counts: Floats | csr_array
    observed: dict[Level, Floats]
    first: Floats
    second: Floats
    units: tuple[EqualUnits, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((f"alpha_{level}",) for level in self.levels)

    def reason(self, key: Key) -> str:
        return NO_VARIATION if self.counts.sum() else NOTHING_PAIRABLE

    def at(self, weights: Floats) -> Floats:
        """Alpha, (b, len(levels)), with item i counted `weights[:, i]` times; NaN if all values are the same."""
        n, differing, cubes = self._by_chance(weights)
        columns = []
        for level in self.levels:
            expected = differing
            if level == "interval":
                first, second = weights @ self.first, weights @ self.second
                expected = 2 * (n * second - first * first)
            elif level == "ordinal":
                expected = n * cubes / 6
            observed = self._observed_ordinal(weights, n) if level == "ordinal" else weights @ self.observed[level]
            ratio = np.divide((n - 1) * observed, expected, out=np.full_like(n, np.nan), where=differing > 0)
            columns.append(without_noise(1 - ratio))
        return np.stack(columns, axis=1)

    def _by_chance(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """n, sum_c n_c (n - n_c) and sum_c n_c (n^2 - n_c^2) at each replicate, (b,) each.

        The first sum is n (n - 1) D_e of nominal values. n_c times the squares of midranks have a twelfth of the second
        as their sum, as in the correction of rank tests for ties.
        """
        own, shared = self._values
        count, n = (weights @ own[[0, 3]].T).T
        powers = weights * weights
        differing = n * count - powers @ own[1]
        powers *= weights
        cubes = n * n * count - powers @ own[2]
        block = max(1, CELLS_AT_ONCE // max(shared.shape[1], 1))
        for row in range(0, n.size, block):
            part = slice(row, row + block)
            n_c = weights[part] @ shared
            others = n[part, None] - n_c
            others *= n_c
            differing[part] += (sums := others.sum(axis=1))
            cubes[part] += n[part] * sums + np.einsum("bc,bc->b", others, n_c)
        return n, differing, cubes

    @cached_property
    def _values(self) -> tuple[Floats, Floats | csr_array]:
        """Sums of n_c, n_c^2 and n_c^3 over values of one item alone, and n, (4, I); and the counts of other values.

        Of a continuous scale nearly all values are such, and no replicate has to look at each of them.
        """
        n = np.asarray(self.counts.sum(axis=1)).ravel()
        if not isinstance(self.counts, csr_array):
            return np.stack([*np.zeros((3, n.size)), n]), self.counts
        single = np.bincount(self.counts.indices, minlength=self.counts.shape[1]) < 2
        own = self.counts[:, np.flatnonzero(single)]
        powers = [np.asarray(own.power(power).sum(axis=1)).ravel() for power in (1, 2, 3)]
        return np.stack([*powers, n]), self.counts[:, np.flatnonzero(~single)]

    @cached_property
    def _by_value(self) -> csr_array:
        """The counts of values by items, (K, I), as whole numbers."""
        counts = self.counts if isinstance(self.counts, csr_array) else csr_array(self.counts)
        return counts.T.tocsr().astype(np.int32)

    def _observed_ordinal(self, weights: Floats, n: Floats) -> Floats:
        """n D_o of midranks at each replicate, (b,)."""
        is_whole = bool((weights == np.rint(weights)).all()) and 2 * n.max(initial=0.0) < np.iinfo(np.int32).max
        number = np.int32 if is_whole else np.float64  # the shorter one, because tables of ranks are large
        by_value = self._by_value.astype(number, copy=False)
        block = max(1, CELLS_AT_ONCE // by_value.shape[0]) if by_value.shape[0] else n.size
        observed = np.zeros(n.size)
        for row in range(0, n.size, block):
            part = slice(row, row + block)
            n_c = np.ascontiguousarray((by_value @ weights[part].T.astype(number)).T)
            below = np.cumsum(n_c, axis=1, dtype=number)
            twice = np.subtract(2 * below, n_c)
            observed[part] = self._differences(weights[part], twice)
        return observed

    def _differences(self, weights: Floats, twice: Floats) -> Floats:
        """n D_o of the values whose doubled midranks are `twice` (b, K), (b,)."""
        observed = np.zeros(weights.shape[0])
        for units in self.units:
            m, size = units.codes.shape
            block = max(1, CELLS_AT_ONCE // (m * weights.shape[0]))
            for start in range(0, size, block):
                part = slice(start, start + block)
                r = np.take(twice, units.codes[:, part], axis=1).astype(np.float64)
                total = r.sum(axis=1)
                r *= r
                spread = r.sum(axis=1)
                spread *= m
                total *= total
                spread -= total
                observed += np.einsum("bu,bu->b", weights[:, units.item[part]], spread) / (2 * (m - 1))
        return observed


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
    units = _units(counted, item) if "ordinal" in levels else ()
    m = counted.m
    del counted  # as large as the ratings: the next steps need the memory
    if "interval" in levels:
        value = standardised(value)
        observed["interval"] = sum_by(item, observed_interval(unit, value, m), items)
        first = sum_by(item, sum_by(unit, value, m.size), items)
        value *= value  # in place: `standardised` returned a new array
        second = sum_by(item, sum_by(unit, value, m.size), items)
    return AlphaSums(levels, counts, observed, first, second, units)


def standardised(value: Floats) -> Floats:
    """The values minus their mean, scaled to a largest deviation of 1, (R,).

    Interval alpha depends neither on the origin nor on the unit of a scale. Standardised, no square overflows,
    vanishes or is lost in a common offset, whatever numbers a model gives.
    """
    value = value / largest(value)
    value -= value.mean() if value.size else 0.0
    value /= largest(value)
    return value


def largest(value: Floats) -> float:
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


def _units(counted: Tally, item: Ints) -> tuple[EqualUnits, ...]:
    code = np.repeat(counted.code, counted.n)  # in the order of the units
    start = np.cumsum(counted.m) - counted.m
    parts = []
    for m in np.unique(counted.m[counted.m > 0]).tolist():
        own = np.flatnonzero(counted.m == m)
        parts.append(EqualUnits(code[start[own] + np.arange(m)[:, None]], item[own]))
    return tuple(parts)
