"""Percent agreement: the share of pairs of raters who gave a unit the same value."""

from agreement.arrays.rating_arrays import Ints
from agreement.arrays.tally import Tally, sum_by
from agreement.intervals.bootstrap import Shares


def percent_agreement(counted: Tally, item: Ints, items: int) -> Shares:
    """Agreeing pairs over all pairs of raters of the same unit, pooled over units.

    `counted` must be without repeats; `item` (U,) is the item of each unit. A share in 0..1; undefined if no unit has
    two ratings.
    """
    agreeing = sum_by(item[counted.unit], counted.n * (counted.n - 1) / 2, items)
    pairs = sum_by(item, counted.m * (counted.m - 1) / 2, items)
    return Shares(
        keys=(("percent_agreement",),),
        numerator=agreeing[:, None],
        denominator=pairs[:, None],
        reasons=("no unit was rated by two raters",),
    )
