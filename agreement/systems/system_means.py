"""Mean ratings of each system's outputs."""

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints, Ratings
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Ratios, Shares


def by_item_and_system(ratings: Ratings, items: int, per_unit: Floats) -> Floats:
    """The sums of `per_unit`, (U,), over the units of each item and system, (I, S)."""
    systems = len(ratings.systems)
    output = ratings.system != NO_SYSTEM
    cell = ratings.item[output] * systems + ratings.system[output]
    return sum_by(cell, per_unit[output], items * systems).reshape(items, systems)


def system_mean(ratings: Ratings, items: int, *, is_share: bool = False) -> Ratios:
    """The mean of the mean ratings of a system's units, on the question's scale; with `is_share` ratings are 0 or 1.

    All current answers count, including repeats, because this figure describes systems and not agreement.
    """
    kind = Shares if is_share else Ratios
    m = np.bincount(ratings.unit, minlength=ratings.item.size)
    mean = _means(ratings, m)
    return kind(
        keys=tuple(("system_mean", system) for system in ratings.systems),
        numerator=by_item_and_system(ratings, items, mean),
        denominator=by_item_and_system(ratings, items, (m > 0).astype(np.float64)),
        reasons=("no output of the system was rated",) * len(ratings.systems),
    )


def unit_means(ratings: Ratings) -> tuple[Ints, Ints, Floats]:
    """Item, system and mean rating of each rated output, (outputs,) each."""
    m = np.bincount(ratings.unit, minlength=ratings.item.size)
    output = (ratings.system != NO_SYSTEM) & (m > 0)
    return ratings.item[output], ratings.system[output], _means(ratings, m)[output]


def _means(ratings: Ratings, m: Ints) -> Floats:
    return sum_by(ratings.unit, ratings.value, ratings.item.size) / np.maximum(m, 1)
