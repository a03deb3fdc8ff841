"""How far a judge's probabilities are those of people's answers: reliability diagram, calibration error, Brier score.

A judge's probability of *yes*, or of each step of a scale, is compared with the share of people who gave that answer.

- The reliability diagram sorts the probabilities into bins of equal numbers and has, for each bin, the mean probability
  and the mean share; a calibrated judge is on the diagonal.
- The expected calibration error is the mean over bins, by size, of their distance (Naeini, Cooper and Hauskrecht 2015;
  with equal numbers per bin, Nguyen and O'Connor 2015). It is above 0 by chance even for a calibrated judge;
  `by_chance` says how much. With steps of a scale, each step's probability counts.
- The Brier score (1950) is the mean squared distance from each person's answer, 1 or 0, summed over steps; people of an
  output weigh 1 together. `brier_of_people` is that of predicting people's own shares: nobody can do better.

Intervals draw items. Those of the error are reflected at the value, 2 value - percentile, because drawn data are
farther from the diagonal than the data they are drawn from; they start at 0 if a calibrated judge, whose bins differ
from the diagonal as the draws differ from the data, would reach the value in 2.5 % of the draws.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import CONFIDENCE, Estimate, Key, Ratios, estimate, item_weights

BINS = 10
NO_PROBABILITY = "no output has both a probability of the judge and an answer of people"


@dataclass(frozen=True)
class ReliabilityBin:
    """One bin of the diagram: `n` probabilities from `low` to `high`, their mean, and people's mean share with it."""

    low: float
    high: float
    n: int
    probability: float
    share: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Calibration:
    """The figures over `outputs` outputs; all between 0 and 1, the Brier scores of a scale between 0 and 2.

    Lower is better. `error`, `brier` and `brier_of_people` are None with a reason if nothing can be compared.
    """

    outputs: int
    bins: tuple[ReliabilityBin, ...]
    error: Estimate
    by_chance: float | None
    brier: Estimate
    brier_of_people: Estimate


@dataclass(frozen=True)
class _CalibrationSums:
    """Sums over each item's probabilities in each bin, (I, B): of shares minus probabilities, and of their number."""

    gap: Floats
    count: Floats

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("error",),)

    def reason(self, key: Key) -> str:
        return NO_PROBABILITY

    def at(self, weights: Floats) -> Floats:
        total = (weights @ self.count).sum(axis=1, keepdims=True)
        gap = np.abs(weights @ self.gap).sum(axis=1, keepdims=True)
        return np.divide(gap, total, out=np.full(total.shape, np.nan), where=total > 0)


def calibration(
    probability: Floats, share: Floats, item: Ints, *, bins: int = BINS, replicates: int = 1000, seed: int = 1
) -> Calibration:
    """Calibration from probabilities and people's shares, both (N, K), of the outputs of items (N,).

    K is 1 for the probability of *yes*, and the number of steps for a scale. Rows with a NaN are left out. Equal
    probabilities share a bin, so there may be fewer bins.

    Raises ValueError for other shapes, or for numbers outside 0..1.
    """
    if probability.shape != share.shape or probability.ndim != 2 or item.shape != probability.shape[:1]:
        raise ValueError("probability and share must both have a row per output and a column per answer")
    known = ~np.isnan(probability).any(axis=1) & ~np.isnan(share).any(axis=1)
    probability, share = probability[known], share[known]
    if ((probability < 0) | (probability > 1) | (share < 0) | (share > 1)).any():
        raise ValueError("probabilities and shares must be between 0 and 1")
    _, item = np.unique(item[known], return_inverse=True)
    items = int(item.max()) + 1 if item.size else 0
    p, y, of_item = probability.ravel(), share.ravel(), np.repeat(item, probability.shape[1])
    bin_of, number = _equal_numbers(p, bins)
    cell = of_item * number + bin_of
    gap, count = (sum_by(cell, one, items * number).reshape(items, number) for one in (y - p, np.ones(p.size)))
    brier = ((probability - share) ** 2 + share * (1 - share)).sum(axis=1)
    floor = (share * (1 - share)).sum(axis=1)
    outputs = np.bincount(item, minlength=items).astype(np.float64)
    scores = Ratios(
        (("brier",), ("brier_of_people",)), np.stack([sum_by(item, one, items) for one in (brier, floor)], axis=1),
        np.stack([outputs, outputs], axis=1), (NO_PROBABILITY, NO_PROBABILITY),
    )  # fmt: skip
    found = estimate([_CalibrationSums(gap, count), scores], items, replicates, seed)
    drawn = _drawn_gaps(gap, count, replicates, seed)
    noise = _errors_by_chance(gap, count, drawn)
    return Calibration(
        int(known.sum()), _diagram(p, y, bin_of, number, drawn), _reflected(found["error",], noise),
        float(noise.mean()) if noise.size else None, found["brier",], found["brier_of_people",],
    )  # fmt: skip


def _equal_numbers(p: Floats, bins: int) -> tuple[Ints, int]:
    """The bin of each probability, and the number of bins: by rank, equal probabilities together."""
    values, level, count = np.unique(p, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - count / 2
    raw = np.minimum((middle / max(p.size, 1) * bins).astype(np.int64), bins - 1)
    used, code = np.unique(raw, return_inverse=True)
    return code[level] if values.size else np.zeros(0, dtype=np.int64), used.size


def _drawn_gaps(gap: Floats, count: Floats, replicates: int, seed: int) -> Floats:
    """Mean share minus mean probability of each bin in draws of items, (R, B); NaN if a bin was not drawn."""
    if gap.shape[0] < 2 or replicates < 1:
        return np.zeros((0, gap.shape[1]))
    parts = []
    for weights in item_weights(gap.shape[0], replicates, seed):
        n = weights @ count
        parts.append(np.divide(weights @ gap, n, out=np.full(n.shape, np.nan), where=n > 0))
    return np.concatenate(parts)


def _diagram(p: Floats, y: Floats, bin_of: Ints, number: int, drawn: Floats) -> tuple[ReliabilityBin, ...]:
    found, tail = [], 50 * (1 - CONFIDENCE)
    for place in range(number):
        own = bin_of == place
        mean, interval = float(p[own].mean()), None
        known = drawn[~np.isnan(drawn[:, place]), place]
        if known.size:
            low, high = np.percentile(known, [tail, 100 - tail]) + mean
            interval = (float(max(low, 0)), float(min(high, 1)))
        low, high = float(p[own].min()), float(p[own].max())
        found.append(ReliabilityBin(low, high, int(own.sum()), mean, float(y[own].mean()), interval))
    return tuple(found)


def _reflected(error: Estimate, noise: Floats) -> Estimate:
    """The estimate with its interval reflected at the value; `noise` (R,) are errors of a calibrated judge."""
    if error.value is None or error.interval is None:
        return error
    low, high = (max(0.0, 2 * error.value - end) for end in reversed(error.interval))
    if error.value <= np.percentile(noise, 50 * (1 + CONFIDENCE)):
        low = 0.0
    return Estimate(error.value, None, (low, high), None, error.left_out, error.deviation)


def _errors_by_chance(gap: Floats, count: Floats, drawn: Floats) -> Floats:
    """The error that the draws' differences from the data alone would make, (R,)."""
    n = count.sum(axis=0)
    noise = np.abs(drawn - gap.sum(axis=0) / np.maximum(n, 1))
    return np.asarray(np.nan_to_num(noise) @ n / max(n.sum(), 1))
