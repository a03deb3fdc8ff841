"""Simulated studies of a given size, and what each would show: the width of an interval, or whether a test finds it.

Items are independent. Raters of an item agree more than those of different items by the intraclass correlation: a share
per item is drawn from a beta distribution, a score from a normal one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, norm, t

from agreement.arrays.rating_arrays import Floats, Ratings
from parts.stopping.figures.sequential_looks import student_boundary
from parts.stopping.figures.stop_targets import alpha_target

CONFIDENCE = 0.95
Z = float(norm.isf((1 - CONFIDENCE) / 2))
ALPHA_RUNS = 100
"""Runs of the simulation of alpha, whose error takes longer to compute."""


@dataclass(frozen=True)
class AssumedValues:
    """What is assumed of the answers.

    `share` is that of yes, or of wins with ties as half; `correlation` that of two raters of an item; `deviation` that
    of an item's difference between two systems or of its score, of one rater; `difference` the mean difference; `alpha`
    nominal alpha of two equally likely values.
    """

    share: float = 0.5
    correlation: float = 0.3
    deviation: float = 1.0
    difference: float = 0.3
    alpha: float = 0.6


def wilson_width(successes: Floats, n: float) -> Floats:
    """The widths of Wilson's (1927) intervals of shares of `n` independent answers."""
    share = successes / n
    return np.asarray(2 * Z / (1 + Z * Z / n) * np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)))


def share_widths(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """The widths of the intervals of a share, (runs,): Wilson's for the effective number of answers."""
    yes = _yes(assumed, items, raters, runs, rng)
    effective = items * raters / (1 + (raters - 1) * assumed.correlation)
    return wilson_width(yes.sum(axis=1) / raters / items * effective, effective)


def win_findings(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """Whether a sign test over items finds that the systems differ, (runs,) of 0 and 1.

    An item is won by the system that most of its raters prefer; items without a majority are left out.
    """
    yes = _yes(assumed, items, raters, runs, rng)
    won, lost = (2 * yes > raters).sum(axis=1), (2 * yes < raters).sum(axis=1)
    return (sign_test_p(won, lost) < 1 - CONFIDENCE).astype(np.float64)


def sign_test_p(won: Floats, lost: Floats) -> Floats:
    """The exact two-sided p-values of sign tests, of the same shape; 1 if nothing was won or lost."""
    fewer, n = np.minimum(won, lost), won + lost
    return np.minimum(2 * binom.cdf(fewer, np.maximum(n, 1), 0.5), 1.0)


def _yes(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """How many of each item's raters say yes, (runs, items)."""
    rho = min(max(assumed.correlation, 0.0), 0.999)
    if rho == 0 or raters == 1 or not 0 < assumed.share < 1:
        return rng.binomial(raters, assumed.share, size=(runs, items)).astype(np.float64)
    weight = (1 - rho) / rho
    own = rng.beta(assumed.share * weight, (1 - assumed.share) * weight, size=(runs, items))
    return rng.binomial(raters, own).astype(np.float64)


def _item_means(assumed: AssumedValues, mean: float, size: tuple[int, int], raters: int,
                rng: np.random.Generator) -> Floats:  # fmt: skip
    """The mean of each item's raters, (runs, items)."""
    rho = min(max(assumed.correlation, 0.0), 1.0)
    deviation = assumed.deviation * np.sqrt(rho + (1 - rho) / raters)
    return np.asarray(rng.normal(mean, deviation, size=size))


def score_widths(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """The widths of the intervals of a mean score, (runs,), by Student's t over items."""
    means = _item_means(assumed, 0.0, (runs, items), raters, rng)
    return np.asarray(2 * t.isf((1 - CONFIDENCE) / 2, items - 1) * means.std(axis=1, ddof=1) / np.sqrt(items))


def score_findings(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """Whether a paired t-test over items finds the mean difference of two systems, (runs,) of 0 and 1."""
    gaps = _item_means(assumed, assumed.difference, (runs, items), raters, rng)
    found = np.abs(gaps.mean(axis=1)) / (gaps.std(axis=1, ddof=1) / np.sqrt(items))
    return (found > t.isf((1 - CONFIDENCE) / 2, items - 1)).astype(np.float64)


def alpha_widths(assumed: AssumedValues, items: int, raters: int, runs: int, rng: np.random.Generator) -> Floats:
    """The widths of the intervals of alpha, (at most ALPHA_RUNS,), for raters who are all equally often right."""
    accuracy = 0.5 * (1 + np.sqrt(max(assumed.alpha, 0.0)))
    widths = []
    unit = np.repeat(np.arange(items), raters)
    for _ in range(min(runs, ALPHA_RUNS)):
        true = rng.random((items, 1)) < 0.5
        value = (true ^ (rng.random((items, raters)) > accuracy)).astype(np.float64)
        data = Ratings(
            unit, np.tile(np.arange(raters), items), value.ravel(), np.arange(items), np.zeros(items, dtype=np.int64),
            tuple(f"rater-{one}" for one in range(raters)), ("system",),
        )  # fmt: skip
        _, targets = alpha_target(data, "nominal")
        low, high = targets[0].interval(student_boundary(Z, targets[0].groups - 1)) if targets else (-1.0, 1.0)
        widths.append(high - low if np.isfinite(high - low) else 2.0)
    return np.array(widths)


SIMULATED: Mapping[str, Mapping[str, object]] = {
    "share": {"width": share_widths},
    "win_rate": {"width": share_widths, "power": win_findings},
    "score": {"width": score_widths, "power": score_findings},
    "alpha": {"width": alpha_widths},
}
"""What is simulated for each figure and aim."""
