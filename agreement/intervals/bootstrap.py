"""Intervals from resampled items, for figures that are functions of sums over items.

A bootstrap replicate draws as many items as there are, with replacement (Efron and Tibshirani 1993, ch. 13). Each
item's contribution to a figure is computed once. A replicate is then a vector of multinomial weights times these sums,
which is exactly the figure of the resampled data, without another pass over the ratings. Intervals are percentiles of
the replicates.

Shares are an exception. Near 0 and 1 replicates hardly vary, and not at all if every item has the same, so that their
percentiles cover far less than 95 %, or have no width. Shares, and differences of two shares of the same trials,
have Wilson's interval with the effective number of trials that the clusters of items leave
(`agreement.intervals.bounded_intervals`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, runtime_checkable

import numpy as np

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bounded_intervals import clustered_mean

Key = tuple[str, ...]
"""The place of a figure in a report: ("alpha_nominal",) or ("local_alpha", "mean")."""

CONFIDENCE = 0.95
DRAWS_AT_ONCE = 1_000_000
"""Weights held at once (replicates times items): few enough to stay in the processor's cache between figures."""
ITSELF = "the figure itself is undefined"
TOO_FEW_ITEMS = "an interval needs answers about two items"
NO_VARIATION = "there is no variation: nearly all resamples of items have the same value"
SHARE = (0.0, 1.0)
SAME = 1e-12
"""Relative difference below which values are the same but for rounding."""


class ItemSums(Protocol):
    """Figures that depend on the data only through sums over items."""

    @property
    def keys(self) -> tuple[Key, ...]:
        """The F figures, in the order of the columns of `at`."""

    def at(self, weights: Floats) -> Floats:
        """The figures, (b, F), with item i counted `weights[:, i]` times; weights are (b, I); NaN if undefined."""

    def reason(self, key: Key) -> str:
        """The reason if a figure is undefined for the data."""


@np.errstate(over="ignore", invalid="ignore")  # figures too large for a float say so themselves
def summed(weights: Floats, sums: Floats) -> Floats:
    """The sums (b, F) of sums over items (I, F), with item i counted `weights[:, i]` times."""
    total: Floats = weights @ sums
    return total


def divided(above: Floats, below: Floats) -> Floats:
    """The ratios of two arrays of sums, NaN if the sum below is 0."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


@dataclass(frozen=True)
class ItemRatio:
    """A figure that is a ratio of two sums over items, `above` and `below` (I,).

    If it is a mean of trials between two ends, these are its `ends` and `below` has the numbers of trials.
    """

    above: Floats
    below: Floats
    ends: tuple[float, float] | None = None

    @property
    def items(self) -> int:
        """How many items the figure rests on."""
        return int(np.count_nonzero(self.below))


@runtime_checkable
class HasItemRatios(Protocol):
    """Figures of which some are ratios of two sums over items."""

    def ratio(self, key: Key) -> ItemRatio | None:
        """The sums of a figure; None if it is no such ratio."""


@dataclass(frozen=True)
class Ratios:
    """Figures that are the ratio of two sums over items: `numerator` and `denominator` are (I, F)."""

    keys: tuple[Key, ...]
    numerator: Floats
    denominator: Floats
    reasons: tuple[str, ...]

    def at(self, weights: Floats) -> Floats:
        return divided(summed(weights, self.numerator), summed(weights, self.denominator))

    def reason(self, key: Key) -> str:
        return self.reasons[self.keys.index(key)]

    def ratio(self, key: Key) -> ItemRatio | None:
        column = self.keys.index(key)
        return ItemRatio(self.numerator[:, column], self.denominator[:, column], self.ends)

    @property
    def ends(self) -> tuple[float, float] | None:
        return None


class Shares(Ratios):
    """Ratios that are shares in 0..1 of the trials that `denominator` counts."""

    @property
    def ends(self) -> tuple[float, float] | None:
        return SHARE


class Balances(Ratios):
    """Ratios that are differences of two shares of the same trials, in -1..1."""

    @property
    def ends(self) -> tuple[float, float] | None:
        return -1.0, 1.0


class Discrete:
    """Figures that take few values, such as places: an interval may well have no width."""


@dataclass(frozen=True)
class RekeyedSums:
    """The same figures under other keys, in the same order."""

    sums: ItemSums
    keys: tuple[Key, ...]

    def at(self, weights: Floats) -> Floats:
        return self.sums.at(weights)

    def reason(self, key: Key) -> str:
        return self.sums.reason(self.sums.keys[self.keys.index(key)])

    def ratio(self, key: Key) -> ItemRatio | None:
        return ratio_of(self.sums, self.sums.keys[self.keys.index(key)])


@dataclass(frozen=True)
class Estimate:
    """A figure and its interval.

    `value` is a number, or None with a `reason`; `interval` is (low, high), or None with an `interval_reason`.
    `left_out` counts the replicates for which the figure is undefined; the interval is that of the others, and
    `deviation` their standard deviation: the bootstrap's standard error of the figure. `items` is the number of items
    that a ratio rests on, None for other figures.
    """

    value: float | None
    reason: str | None
    interval: tuple[float, float] | None
    interval_reason: str | None
    left_out: int
    deviation: float | None = None
    items: int | None = None


def ratio_of(sums: ItemSums, key: Key) -> ItemRatio | None:
    """The sums of a figure over items if it is their ratio."""
    return sums.ratio(key) if isinstance(sums, HasItemRatios) else None


def item_weights(items: int, replicates: int, seed: int) -> Iterator[Floats]:
    """Multinomial weights of all replicates in blocks (b, I); each row sums to `items`."""
    rng = np.random.default_rng(seed)
    block = max(1, DRAWS_AT_ONCE // max(items, 1))
    for done in range(0, replicates, block):
        rows = min(block, replicates - done)
        drawn = rng.integers(0, items, size=(rows, items))
        weights = np.empty((rows, items))
        for row in range(rows):
            weights[row] = np.bincount(drawn[row], minlength=items)
        yield weights


def estimate(figures: Sequence[ItemSums], items: int, replicates: int, seed: int) -> dict[Key, Estimate]:
    """Each figure of the data with its 95 % interval, over the same draws of items for all figures.

    Replicates for which a figure is undefined (for example because all drawn values are the same) are left out of its
    interval and counted. If they are more than half, if the figure rests on fewer than two items, or if it does not
    vary and is no share, there is no interval.
    """
    computed = _Computed(figures)
    points = [part[0] for part in computed.at(np.ones((1, items)))]
    drawn = [np.zeros((0, len(sums.keys))) for sums in figures]
    if items > 1 and replicates > 0:
        blocks = [computed.at(weights) for weights in item_weights(items, replicates, seed)]
        drawn = [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
    return {
        key: _estimate(sums, key, point[column], replicate[:, column])
        for sums, point, replicate in zip(figures, points, drawn, strict=True)
        for column, key in enumerate(sums.keys)
    }


class _Computed:
    """Some figures at once. All ratios of sums are computed by one product, with sums that are the same only once."""

    def __init__(self, figures: Sequence[ItemSums]) -> None:
        self.figures = figures
        places: dict[bytes, int] = {}
        columns: list[Floats] = []

        def placed(sums: Floats) -> list[int]:
            found = []
            for column in np.ascontiguousarray(sums.T):
                found.append(places.setdefault(blake2b(column).digest(), len(columns)))
                if found[-1] == len(columns):
                    columns.append(column)
            return found

        self.ratios = [
            (placed(sums.numerator), placed(sums.denominator)) if isinstance(sums, Ratios) and sums.keys else None
            for sums in figures
        ]
        self.sums = np.stack(columns, axis=1) if columns else None

    def at(self, weights: Floats) -> list[Floats]:
        """The figures of each of the objects, (b, F), as their own `at` gives them."""
        total = None if self.sums is None else summed(weights, self.sums)
        return [
            sums.at(weights) if places is None or total is None else divided(total[:, places[0]], total[:, places[1]])
            for sums, places in zip(self.figures, self.ratios, strict=True)
        ]


def _estimate(sums: ItemSums, key: Key, point: float, replicates: Floats) -> Estimate:
    defined = replicates[~np.isnan(replicates)]
    left_out, ratio = replicates.size - defined.size, ratio_of(sums, key)
    items = None if ratio is None else ratio.items
    if not np.isfinite(point):
        return Estimate(None, sums.reason(key) if np.isnan(point) else TOO_LARGE, None, ITSELF, left_out, items=items)
    value = float(point)
    reason = _no_interval(replicates.size, left_out, items)
    if reason:
        return Estimate(value, None, None, reason, left_out, items=items)
    deviation = float(defined.std(ddof=1)) if defined.size > 1 else None
    if ratio is not None and ratio.ends is not None:
        interval = clustered_mean(value, ratio.above, ratio.below, ratio.ends)
        return Estimate(value, None, interval, None, left_out, deviation, items)
    tail = 50 * (1 - CONFIDENCE)
    low, high = (float(end) for end in np.percentile(defined, [tail, 100 - tail]))
    if not _is_discrete(sums) and high - low <= SAME * np.abs(defined).max(initial=0.0):
        return Estimate(value, None, None, NO_VARIATION, left_out, deviation, items)
    return Estimate(value, None, (low, high), None, left_out, deviation, items)


def _is_discrete(sums: ItemSums) -> bool:
    return _is_discrete(sums.sums) if isinstance(sums, RekeyedSums) else isinstance(sums, Discrete)


def _no_interval(replicates: int, left_out: int, items: int | None) -> str:
    """Why a figure can have no interval; "" if it may have one."""
    if items is not None and items < 2:
        return TOO_FEW_ITEMS
    if not replicates:
        return "an interval needs at least two items and one replicate"
    return "the figure is undefined for more than half of the replicates" if 2 * left_out > replicates else ""
