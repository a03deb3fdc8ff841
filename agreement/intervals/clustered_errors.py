"""Standard errors of figures over units of items, which are not independent within an item.

A figure that is a smooth function of means changes, to first order, by the sum over units of their influences. With
S_c the sum of the influences of item c and G items, its variance is G / (G - 1) sum_c S_c^2 (Liang and Zeger 1986,
Biometrika 73, 13-22; the factor is the usual one for few clusters). With one unit per item this is the ordinary
standard error.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import CONFIDENCE


@dataclass(frozen=True)
class MeanEstimate:
    """A figure with its standard error and 95 % interval.

    `value` is None with a `reason`; so is the `interval`, with `interval_reason`. `labels` is the number of units that
    people answered, `worth` how many such units people alone would need for the same standard error; None if unknown.
    """

    value: float | None
    se: float | None = None
    interval: tuple[float, float] | None = None
    labels: int = 0
    worth: float | None = None
    reason: str | None = None
    interval_reason: str | None = None


def sums_of_items(item: Ints, influence: Floats) -> Floats:
    """The sums of influences (N, P) over the units of each item that occurs, (G, P)."""
    _, code = np.unique(item, return_inverse=True)
    groups = int(code.max()) + 1 if code.size else 0
    return np.stack([sum_by(code, column, groups) for column in influence.T], axis=1)


def variance_of(item_sums: Floats) -> float:
    """The variance of a figure from its items' sums of influences (G,); NaN with fewer than two items."""
    groups = item_sums.size
    return float(groups / (groups - 1) * (item_sums**2).sum()) if groups > 1 else float("nan")


def around(value: float, se: float, items: int) -> tuple[float, float]:
    """The 95 % interval by Student's t with `items` - 1 degrees of freedom."""
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, max(items - 1, 1))) * se
    return value - half, value + half
