"""The one-way intraclass correlation of ratings on a fine scale (Shrout and Fleiss 1979, ICC(1,1) and ICC(1,k)).

The one-way form is for units that are not all rated by the same raters, as tasks here are given out: differences
between raters count as error. With N ratings of n units, m_u of unit u, and k0 = (N - sum_u m_u^2 / N) / (n - 1):

    MSB = sum_u m_u (mean_u - mean)^2 / (n - 1)        MSW = sum_ui (x_ui - mean_u)^2 / (N - n)
    single = (MSB - MSW) / (MSB + (k0 - 1) MSW)        average = (MSB - MSW) / MSB
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Key
from agreement.reliability.alpha import largest, standardised

SINGLE, AVERAGE = ("icc_single",), ("icc_average",)
TOO_FEW_UNITS = "fewer than two units were rated by two raters"
NO_VARIATION = "the ratings do not vary, or the means of units do not"
EPSILON = float(np.finfo(np.float64).eps)
CANCELLED = 1e-13
"""A difference of two sums that is 0 but for rounding, as a share of the first."""


@dataclass(frozen=True)
class IntraclassSums:
    """Sums over each item's units, and `rounding`, the mean square of a rating that is not above rounding errors.

    `sums` (I, 6) are n, N, sum m^2, sum x, sum_ui (x_ui - mean_u)^2 and sum (sum_u x)^2 / m_u. The fifth is no
    difference of sums of squares: beside a few values off the scale, such a difference is lost in rounding.
    """

    sums: Floats
    rounding: float

    @property
    def keys(self) -> tuple[Key, ...]:
        return (SINGLE, AVERAGE)

    def at(self, weights: Floats) -> Floats:
        units, count, squares, total, within, by_unit = (weights @ self.sums).T
        enough = units > 1
        below = np.where(enough, units - 1, 1.0)
        between = by_unit - total * total / np.maximum(count, 1)
        least = self.rounding * count
        between = np.where(between > np.maximum(least, CANCELLED * by_unit), between, 0.0) / below
        within = np.where(within > least, within, 0.0) / np.maximum(count - units, 1)
        raters = (count - squares / np.maximum(count, 1)) / below
        single = between + (raters - 1) * within
        columns = []
        for divisor in (single, between):
            defined = enough & (divisor > 0)
            columns.append(np.divide(between - within, divisor, out=np.full_like(divisor, np.nan), where=defined))
        return without_noise(np.stack(columns, axis=1))

    def reason(self, key: Key) -> str:
        return TOO_FEW_UNITS if self.sums[:, 0].sum() < 2 else NO_VARIATION


def intraclass_sums(unit: Ints, value: Floats, item: Ints, items: int) -> IntraclassSums:
    """The sums over each item.

    `unit` and `value` are (R,), one entry per rating, without repeats; `item` (U,) is the item of each unit; `items`
    is the number of item codes, I. Units with one rating are left out.
    """
    m = np.bincount(unit, minlength=item.size)
    kept = m[unit] > 1
    unit, given = unit[kept], value[kept]
    value = standardised(given)
    scaled = given / largest(given)
    widest = float(np.abs(scaled - scaled.mean()).max()) or 1.0 if scaled.size else 1.0
    m = np.where(m > 1, m, 0).astype(np.float64)
    own = sum_by(unit, value, item.size)
    first = np.zeros(item.size)
    first[unit[::-1]] = value[::-1]
    apart = value - first[unit]  # of equal ratings exactly 0, unlike their difference from the mean
    within = sum_by(unit, apart * apart, item.size) - sum_by(unit, apart, item.size) ** 2 / np.maximum(m, 1)
    parts = ((m > 0).astype(np.float64), m, m * m, own, within, own * own / np.maximum(m, 1))
    sums = np.stack([sum_by(item, part, items) for part in parts], axis=1)
    return IntraclassSums(sums, rounding=(4 * EPSILON / widest) ** 2)
