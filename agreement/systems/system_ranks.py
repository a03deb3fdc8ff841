"""Places of systems with intervals: each draw of items gives every system a place (Hall and Miller 2009).

The interval of a place says between which places a system would lie in like samples of items. It is wide for systems
whose means are close, whatever their own intervals are.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import Discrete, Key, Ratios


@dataclass(frozen=True)
class RankSums(Discrete):
    """The places of figures of systems, `of` (S of them), 1 for the highest; equal figures share their mean place.

    A system without a figure in a draw has no place in it, and the places of the others do not count it.
    """

    of: Ratios
    name: str = "rank"

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((self.name, *key[1:]) for key in self.of.keys)

    def reason(self, key: Key) -> str:
        return self.of.reasons[self.keys.index(key)]

    def at(self, weights: Floats) -> Floats:
        """The places, (b, S), with item i counted `weights[:, i]` times; NaN for a system without a figure."""
        return places(self.of.at(weights))


def places(figures: Floats) -> Floats:
    """The places of the figures in each row, (b, S): 1 + those above + half of the others that are equal.

    Figures are equal if they agree to 12 significant digits of the largest of their row. One that is too large for a
    float has no place.
    """
    figures = np.where(np.isfinite(figures), figures, np.nan)
    largest = np.nanmax(np.abs(figures), axis=1, keepdims=True, initial=0.0)
    figures = np.round(figures / np.where(largest > 0, largest, 1.0), 12)
    made = np.empty_like(figures)
    for column in range(figures.shape[1]):
        own = figures[:, column, None]
        equal = (figures == own).sum(axis=1) - 1
        made[:, column] = 1 + (figures > own).sum(axis=1) + equal / 2
    return np.where(np.isnan(figures), np.nan, made)
