"""Figures as plain values at their keys, with intervals beside them and the reasons for undefined ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import ItemSums, Key, RekeyedSums, estimate
from agreement.intervals.report_entries import Report, place, resampling

REPLICATES = 1000
SEED = 1
PART_UNDEFINED = "one of the figures that it is made of is undefined"


def interval_report(
    figures: Sequence[ItemSums], items: int, *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """Each figure at its key, `x_ci` beside `x`, over the same draws of items; with `bootstrap` and `undefined`."""
    estimates = estimate(figures, items, replicates, seed)
    report: Report = {}
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    return {**report, "bootstrap": resampling(estimates, items, replicates, seed), "undefined": undefined}


def under(path: Key, sums: ItemSums) -> RekeyedSums:
    """The same figures at keys that begin with `path`."""
    return RekeyedSums(sums, tuple((*path, *key) for key in sums.keys))


@dataclass(frozen=True)
class MeanSums:
    """The mean of each figure over parts that have the same figures; undefined if one of them is."""

    parts: Sequence[ItemSums]

    @property
    def keys(self) -> tuple[Key, ...]:
        return self.parts[0].keys

    def at(self, weights: Floats) -> Floats:
        return np.asarray(np.mean([part.at(weights) for part in self.parts], axis=0))

    def reason(self, key: Key) -> str:
        return PART_UNDEFINED


@dataclass(frozen=True)
class DifferenceSums:
    """The figures of `first` minus those of `second`, in order, at `keys`."""

    first: ItemSums
    second: ItemSums
    keys: tuple[Key, ...]

    def at(self, weights: Floats) -> Floats:
        return np.asarray(self.first.at(weights) - self.second.at(weights))

    def reason(self, key: Key) -> str:
        return PART_UNDEFINED
