"""Leave-one-out agreement: each rater's answer against the mode of the others' (Lyu et al. 2024, HREF, 2.3)."""

import numpy as np

from agreement.bootstrap import Ratios
from agreement.data import Floats, Ints
from agreement.tally import Tally, sum_by


def leave_one_out(counted: Tally, item: Ints, items: int) -> Ratios:
    """The mean over units with three ratings or more of how often a rater gives the mode of the others.

    `counted` is of ratings without repeats; `item` (U,) is the item of each unit. Where the others' mode is
    tied an answer among the modes counts 1 / number of modes. A share in 0..1.
    """
    scores = unit_scores(counted)
    units = counted.unit[counted.start]
    counts = counted.m[units] >= 3
    where = item[units[counts]]
    return Ratios(
        keys=(("leave_one_out",),),
        numerator=sum_by(where, scores[counts], items)[:, None],
        denominator=sum_by(where, np.ones(where.size), items)[:, None],
        reasons=("no unit was rated by three raters",),
    )


def unit_scores(counted: Tally) -> Floats:
    """The mean score of the ratings of each unit that has any, in the order of `counted.start`.

    An answer can only be a mode of the others' if it is the unit's single most frequent value: any other
    answer leaves a value that is given more often than itself. With M its count, M' the next highest and t
    the number of values given M' times, it scores 1 if M - 1 > M', 1 / (1 + t) if M - 1 = M', and 0
    otherwise.
    """
    start = counted.start
    if not start.size:
        return np.zeros(0)
    cells = np.diff(start, append=counted.n.size)
    most = np.maximum.reduceat(counted.n, start)
    on_top = counted.n == np.repeat(most, cells)
    rest = np.where(on_top, 0, counted.n)
    next_most = np.maximum.reduceat(rest, start)
    tied = np.add.reduceat((rest == np.repeat(next_most, cells)) & ~on_top, start, dtype=np.int64)
    score = np.where(most - 1 > next_most, 1.0, np.where(most - 1 == next_most, 1 / (1 + tied), 0.0))
    single = np.add.reduceat(on_top, start, dtype=np.int64) == 1
    return np.where(single, score * most / counted.m[counted.unit[start]], 0.0)
