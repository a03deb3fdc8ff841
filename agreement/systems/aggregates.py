"""Aggregates of a system's ratings: mean, majority and none (Skopek et al. 2023, riSum, Table 3).

Each aggregation gives every unit a distribution over values: its mean (one value), its modes (equally likely, so that
ties are broken at random), or each of its ratings (one drawn at random). Expectations over these distributions and
over random ties in the ranking are exact; nothing is simulated. All current answers count, including repeats, because
these figures describe systems and not agreement.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints, Ratings
from agreement.arrays.tally import Tally, sum_by, tally
from agreement.intervals.bootstrap import Key, Ratios
from agreement.systems.expected_ranks import expected_ranks
from agreement.systems.system_means import by_item_and_system

METHODS = ("mean", "majority", "none")
PERCENT = 100.0


@dataclass(frozen=True)
class Chances:
    """A distribution over values for each rated unit, as cells (C,): the `chance` that `unit` has `value`."""

    unit: Ints
    value: Floats
    chance: Floats


@dataclass(frozen=True)
class Aggregate:
    """One aggregation of all systems; arrays are (S,), NaN if undefined.

    `n` is the sample size of the score's standard error: outputs for mean and majority, ratings for none. `items` is
    the number of items in which the system was ranked. `score` and `rank` are sums over items, for intervals.
    """

    method: str
    score: Ratios
    rank: Ratios
    score_se: Floats
    rank_se: Floats
    n: Ints
    items: Ints


def aggregates(ratings: Ratings, items: int, scale: tuple[float, float]) -> tuple[Aggregate, ...]:
    """The three aggregations of every system, with scores in percent of the scale, (v - min) / (max - min).

    Values off the scale are not clamped, so a score may lie outside 0..100. Raises ValueError unless the scale's ends
    are in ascending order.
    """
    low, high = scale
    if not low < high:
        raise ValueError("the scale's lower end must lie below its upper end")
    output = ratings.system[ratings.unit] != NO_SYSTEM
    counted = tally(ratings.unit[output], ratings.value[output], ratings.item.size)
    return tuple(_aggregate(ratings, items, counted, method, (low, high)) for method in METHODS)


def of_mean(counted: Tally) -> Chances:
    """Each unit at the mean of its ratings."""
    unit = counted.unit[counted.start]
    total = sum_by(counted.unit, counted.n * counted.values[counted.code], counted.m.size)[unit]
    return Chances(unit, total / counted.m[unit], np.ones(unit.size))


def of_majority(counted: Tally) -> Chances:
    """Each unit at its most common values, equally likely."""
    start = counted.start
    if not start.size:
        return Chances(counted.unit, np.zeros(0), np.zeros(0))
    cells = np.diff(start, append=counted.n.size)
    mode = counted.n == np.repeat(np.maximum.reduceat(counted.n, start), cells)
    modes = np.repeat(np.add.reduceat(mode, start, dtype=np.int64), cells)
    return Chances(counted.unit[mode], counted.values[counted.code[mode]], 1 / modes[mode])


def of_none(counted: Tally) -> Chances:
    """Each unit at any of its ratings, equally likely."""
    return Chances(counted.unit, counted.values[counted.code], counted.n / counted.m[counted.unit])


DISTRIBUTIONS: dict[str, Callable[[Tally], Chances]] = {"mean": of_mean, "majority": of_majority, "none": of_none}


def _aggregate(ratings: Ratings, items: int, counted: Tally, method: str, scale: tuple[float, float]) -> Aggregate:
    low, high = scale
    yes_or_no = bool(np.isin(ratings.value, scale).all())
    chances = DISTRIBUTIONS[method](counted)
    percent = PERCENT * (chances.value - low) / (high - low)
    score = sum_by(chances.unit, chances.chance * percent, counted.m.size)
    deviation = percent - score[chances.unit]
    variance = sum_by(chances.unit, chances.chance * deviation * deviation, counted.m.size)
    rank, rank_variance = expected_ranks(chances.unit, chances.value, chances.chance, ratings.item)
    rated = (counted.m > 0).astype(np.float64)
    weight = counted.m.astype(np.float64) if method == "none" else rated
    return Aggregate(
        method=method,
        score=_ratios(ratings, items, (method, "score"), score, weight, kind=_Percentages if yes_or_no else Ratios),
        rank=_ratios(ratings, items, (method, "rank"), rank, rated),
        score_se=_standard_error(ratings, score, variance, weight, drawn=method != "none"),
        rank_se=_standard_error(ratings, rank, rank_variance, rated, drawn=True),
        n=_total(ratings, weight).astype(np.int64),
        items=_total(ratings, rated).astype(np.int64),
    )


class _Percentages(Ratios):
    """Shares in percent."""

    @property
    def ends(self) -> tuple[float, float] | None:
        return 0.0, PERCENT


def _ratios(
    ratings: Ratings, items: int, name: tuple[str, str], figure: Floats, weight: Floats, kind: type[Ratios] = Ratios
) -> Ratios:
    method, column = name
    keys: tuple[Key, ...] = tuple(("aggregates", method, system, column) for system in ratings.systems)
    return kind(
        keys=keys,
        numerator=by_item_and_system(ratings, items, weight * figure),
        denominator=by_item_and_system(ratings, items, weight),
        reasons=("no output of the system was rated",) * len(keys),
    )


def _standard_error(ratings: Ratings, expected: Floats, variance: Floats, weight: Floats, *, drawn: bool) -> Floats:
    """Standard error of each system's mean, (S,), NaN for fewer than two values.

    `expected` and `variance` (U,) describe each unit's values. If one value per unit is `drawn`, this is the root of
    the expected squared standard error over the draws: the sample variance has the expectation
    sum (E - mean E)^2 / (n - 1) + sum V / n. Otherwise all `weight` values of a unit are in the sample.
    """
    n = _total(ratings, weight)
    mean = np.divide(_total(ratings, weight * expected), n, out=np.zeros_like(n), where=n > 0)
    between = _total(ratings, weight * (expected - mean[ratings.system]) ** 2) if n.size else n
    within = _total(ratings, weight * variance)
    free = np.maximum(n - 1, 1)
    squared = between / free + within / (np.maximum(n, 1) if drawn else free)
    return np.where(n > 1, np.sqrt(squared / np.maximum(n, 1)), np.nan)


def _total(ratings: Ratings, per_unit: Floats) -> Floats:
    """The sum over the units of each system, (S,)."""
    return by_item_and_system(ratings, int(ratings.item.max(initial=-1)) + 1, per_unit).sum(axis=0)
