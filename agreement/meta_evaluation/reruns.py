"""Figures of a judge that answered several times: computed for each rerun, then averaged (riSum, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import ItemRatio, ItemSums, Key, ratio_of


@dataclass(frozen=True)
class AveragedReruns:
    """The mean of each figure over reruns, all of which have the same figures; undefined ones are left out."""

    reruns: Sequence[ItemSums]

    @property
    def keys(self) -> tuple[Key, ...]:
        return self.reruns[0].keys

    def reason(self, key: Key) -> str:
        return self.reruns[0].reason(key)

    def at(self, weights: Floats) -> Floats:
        if len(self.reruns) == 1:
            return self.reruns[0].at(weights)
        values = np.stack([rerun.at(weights) for rerun in self.reruns])
        count = (~np.isnan(values)).sum(axis=0)
        return np.divide(np.nansum(values, axis=0), count, out=np.full(values.shape[1:], np.nan), where=count > 0)

    def ratio(self, key: Key) -> ItemRatio | None:
        """The sums of all reruns together; the trials of one, because those of an item count as one cluster."""
        ratios = [ratio_of(rerun, key) for rerun in self.reruns]
        known = [one for one in ratios if one is not None]
        if len(known) < len(ratios):
            return None
        above, below = (np.sum([getattr(one, name) for one in known], axis=0) for name in ("above", "below"))
        return ItemRatio(above / len(known), below / len(known), known[0].ends)

    def spread(self, items: int) -> Floats:
        """The standard deviation of each figure over reruns, (F,), NaN with fewer than two."""
        values = np.stack([rerun.at(np.ones((1, items)))[0] for rerun in self.reruns])
        return np.asarray(values.std(axis=0, ddof=1)) if len(self.reruns) > 1 else np.full(values.shape[1], np.nan)
