"""Local alpha: Krippendorff's alpha within each item, over its outputs (Skopek et al. 2023, riSum, Table 2)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ratings
from agreement.arrays.tally import sum_by, tally
from agreement.intervals.bootstrap import Ratios, Shares
from agreement.reliability.alpha import observed_interval, observed_nominal, standardised
from agreement.reliability.local_alpha_bins import EDGES

LocalLevel = Literal["nominal", "interval"]

HIGH = 0.5
LEFT_OUT = "no item has an output rated by two raters"


@dataclass(frozen=True)
class LocalAlpha:
    """Alpha of each item, (I,), NaN if the item is left out, and its level of measurement."""

    level: LocalLevel
    alpha: Floats

    @property
    def used(self) -> Floats:
        return self.alpha[~np.isnan(self.alpha)]

    def standard_error(self) -> float | None:
        """The sample standard deviation over the square root of n; None for fewer than two items."""
        n = self.used.size
        return float(self.used.std(ddof=1) / np.sqrt(n)) if n > 1 else None

    def histogram(self) -> dict[str, list[float] | list[int]]:
        """Counts of items in bins of 0.1 from -1 to 1; all but the last exclude their upper edge."""
        counts, _ = np.histogram(self.used, bins=np.array(EDGES))
        return {"edges": list(EDGES), "counts": [int(count) for count in counts]}

    def sums(self) -> list[Ratios]:
        """The mean alpha, and the share of items with an alpha of 0.5 or more, as sums over items."""
        defined = ~np.isnan(self.alpha)
        value, counts = np.where(defined, self.alpha, 0.0)[:, None], defined.astype(np.float64)[:, None]
        return [
            Ratios((("local_alpha", "mean"),), value, counts, (LEFT_OUT,)),
            Shares((("local_alpha", "share_at_least_half"),), (value >= HIGH) * counts, counts, (LEFT_OUT,)),
        ]


def local_alpha(ratings: Ratings, items: int, level: LocalLevel) -> LocalAlpha:
    """Alpha within each of the items 0..`items`-1, from ratings without repeats of units that are outputs.

    An item with the same value throughout counts as 1; an item without an output rated twice is left out. Alphas are
    rounded to 12 decimals, so that one half is exactly one half.
    """
    m = np.bincount(ratings.unit, minlength=ratings.item.size)
    keep = (m[ratings.unit] > 1) & (ratings.system[ratings.unit] != NO_SYSTEM)
    unit, value = ratings.unit[keep], ratings.value[keep]
    counted = tally(unit, value, ratings.item.size)
    own = ratings.item[unit]
    n = np.bincount(own, minlength=items)
    by_item = tally(own, value, items)
    same = sum_by(by_item.unit, by_item.n * by_item.n, items)
    if level == "nominal":
        observed = sum_by(ratings.item, observed_nominal(counted), items)
        expected = n * n - same
    else:
        value = standardised(value)
        observed = sum_by(ratings.item, observed_interval(unit, value, counted.m), items)
        mean = sum_by(own, value, items) / np.maximum(n, 1)
        expected = 2 * n * sum_by(own, (value - mean[own]) ** 2, items)
    varied = n * n > same
    ratio = np.divide((n - 1) * observed, expected, out=np.zeros(items), where=varied)
    return LocalAlpha(level, np.where(n > 0, np.round(1 - ratio, 12), np.nan))
