"""Standard errors of figures that are functions of sums over items, by leaving out one group of items after the other.

With I items in G groups, theta_(g) without group g and their mean theta_(.), the error is
sqrt((G - 1) / G sum_g (theta_(g) - theta_(.))^2) (Efron and Tibshirani 1993, ch. 11). It is the same at each call and
needs few passes, which looks at a running study need; bootstrap intervals of reports have another purpose.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import ItemSums

MOST_GROUPS = 400
"""Up to as many items each is a group of its own."""


@dataclass(frozen=True)
class JackknifeErrors:
    """Figures, (F,), their standard errors, and the number of groups on which each depends; NaN if undefined."""

    value: Floats
    error: Floats
    groups: Ints


def jackknife(sums: ItemSums, items: int) -> JackknifeErrors:
    """The figures of the data with their errors. An error is NaN with fewer than two groups, or if leaving one out
    makes the figure undefined.
    """
    value = sums.at(np.ones((1, items)))[0] if items else np.full(len(sums.keys), np.nan)
    groups = min(items, MOST_GROUPS)
    if groups < 2:
        return JackknifeErrors(value, np.full(value.shape, np.nan), np.zeros(value.shape, dtype=np.int64))
    weights = (np.arange(groups)[:, None] != np.arange(items)[None, :] % groups).astype(np.float64)
    without = sums.at(weights)
    spread = without - without.mean(axis=0)
    error = np.sqrt((groups - 1) / groups * (spread * spread).sum(axis=0))
    moved = np.abs(without - value) > 1e-14 * np.maximum(np.abs(value), 1.0)
    return JackknifeErrors(value, error, moved.sum(axis=0).astype(np.int64))
