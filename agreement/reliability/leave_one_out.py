"""Leave-one-out agreement: each rater's answer against the mode of the others' (Lyu et al. 2024, HREF, 2.3)."""

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.tally import Tally, sum_by, tally
from agreement.intervals.bootstrap import Shares


def leave_one_out(counted: Tally, item: Ints, items: int) -> Shares:
    """The share of raters who give the mode of the others, averaged over units with at least three ratings.

    `counted` must be without repeats; `item` (U,) is the item of each unit. If the others have several modes, an
    answer that is one of them counts 1 / number of modes. A share in 0..1.
    """
    scores = unit_scores(counted)
    units = counted.unit[counted.start]
    counts = counted.m[units] >= 3
    own = item[units[counts]]
    return Shares(
        keys=(("leave_one_out",),),
        numerator=sum_by(own, scores[counts], items)[:, None],
        denominator=sum_by(own, np.ones(own.size), items)[:, None],
        reasons=("no unit was rated by three raters",),
    )


def unit_scores(counted: Tally) -> Floats:
    """The mean score of the ratings of each unit that has any, in the order of `counted.start`."""
    score, _, most = _single_modes(counted)
    return score * most / counted.m[counted.unit[counted.start]]


def rating_scores(ratings: Ratings) -> tuple[Ints, Floats]:
    """The places of the ratings of units with at least two, and what each scores against the mode of the others.

    `ratings` must be without repeats. With two ratings of a unit, the mode of the others is the other answer.
    """
    counted = tally(ratings.unit, ratings.value, ratings.item.size)
    score, mode, _ = _single_modes(counted)
    of_unit, value_of = np.zeros(counted.m.size), np.full(counted.m.size, np.nan)
    units = counted.unit[counted.start]
    of_unit[units], value_of[units] = score, counted.values[mode] if mode.size else 0.0
    place = np.flatnonzero(counted.m[ratings.unit] > 1)
    unit = ratings.unit[place]
    return place, np.where(ratings.value[place] == value_of[unit], of_unit[unit], 0.0)


def _single_modes(counted: Tally) -> tuple[Floats, Ints, Ints]:
    """For each unit with ratings: what its single most common value scores, that value's code, and its count.

    An answer can be a mode of the others only if it is the unit's single most common value; for any other answer,
    another value is more common among the others. With M its count, M' the next highest count and t the number of
    values given M' times, it scores 1 if M - 1 > M', 1 / (1 + t) if M - 1 = M', and 0 otherwise.
    """
    start = counted.start
    if not start.size:
        return np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    cells = np.diff(start, append=counted.n.size)
    most = np.maximum.reduceat(counted.n, start)
    on_top = counted.n == np.repeat(most, cells)
    rest = np.where(on_top, 0, counted.n)
    next_most = np.maximum.reduceat(rest, start)
    tied = np.add.reduceat((rest == np.repeat(next_most, cells)) & ~on_top, start, dtype=np.int64)
    score = np.where(most - 1 > next_most, 1.0, np.where(most - 1 == next_most, 1 / (1 + tied), 0.0))
    single = np.add.reduceat(on_top, start, dtype=np.int64) == 1
    first_on_top = np.maximum.reduceat(np.where(on_top, counted.code, -1), start)
    return np.where(single, score, 0.0), first_on_top, most
