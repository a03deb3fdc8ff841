"""How much the raters of each item disagree: the item's part in Krippendorff's alpha.

d_i is the mean of the observed differences within the units of item i, over its pairable ratings, divided by the
difference expected by chance, D_e, of all items: in the letters of `agreement.reliability.alpha`,
d_i = (sum over units u of i of sum_ck n_uc n_uk delta2_ck / (m_u - 1)) / (sum of their m_u) / D_e.
With n_i pairable ratings of item i and n of all, alpha = 1 - sum_i n_i d_i / n: items with a d above 1 - alpha pull
alpha down.
"""

import numpy as np

from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ratings
from agreement.arrays.tally import sum_by, tally
from agreement.reliability.alpha import Level, observed_interval, observed_nominal, standardised


def item_disagreement(ratings: Ratings, items: int, level: Level) -> Floats:
    """The disagreement d_i of each of the items 0..`items`-1, (I,), from ratings without repeats.

    0: all raters agree; 1: they differ as by chance; NaN: no unit of the item has two ratings. If all values of such
    units in the study are the same, nobody disagrees, and d_i is 0.
    """
    m = np.bincount(ratings.unit, minlength=ratings.item.size)
    pairable = m[ratings.unit] > 1
    unit, value = ratings.unit[pairable], ratings.value[pairable]
    n_i = np.bincount(ratings.item[unit], minlength=items).astype(np.float64)
    n = float(unit.size)
    if level == "nominal":
        sides = ratings.sides
        counted = tally(unit, value, ratings.item.size, None if sides is None else sides.values)
        n_c = sum_by(counted.code, counted.n, counted.values.size)
        n_c = n_c if sides is None else sides.shared(n_c)
        observed, expected = observed_nominal(counted), n * n - float(n_c @ n_c)
    else:
        if level == "ordinal":
            value = _midranks(value)
        value = standardised(value)
        observed = observed_interval(unit, value, np.where(m > 1, m, 0))
        expected = 2 * (n * float(value @ value) - float(value.sum()) ** 2)
    by_item = sum_by(ratings.item, observed, items)
    d_e = expected / (n * (n - 1)) if n > 1 else 0.0
    varied = np.unique(value).size > 1
    mean = np.divide(by_item, n_i, out=np.full(items, np.nan), where=n_i > 0)
    return mean / d_e if varied else mean * 0.0


def _midranks(value: Floats) -> Floats:
    """The values' midranks among all values: ordinal differences are interval differences of midranks."""
    _, code, count = np.unique(value, return_inverse=True, return_counts=True)
    midranks = np.cumsum(count) - count / 2
    return np.asarray(midranks[code], dtype=np.float64)


def ranks_as_ratings(rankings: Rankings) -> Ratings:
    """Rankings as ratings of single outputs, by their ranks. Later rankings of a rater replace earlier ones."""
    systems = max(len(rankings.systems), 1)
    own_item = rankings.item[rankings.ranking]
    units, unit = np.unique(own_item * systems + rankings.system, return_inverse=True)
    return Ratings(
        unit=unit.astype(np.int64),
        rater=rankings.rater[rankings.ranking],
        value=rankings.rank.astype(np.float64),
        item=units // systems,
        system=np.full(units.size, NO_SYSTEM, dtype=np.int64),
        raters=rankings.raters,
        systems=(),
    ).latest()


def mean_disagreement(by_question: list[Floats], items: int) -> Floats:
    """The mean of the questions' disagreements of each item, (I,); NaN if no question has one."""
    if not by_question:
        return np.full(items, np.nan)
    table = np.stack(by_question)
    known = ~np.isnan(table)
    count = known.sum(axis=0)
    return np.divide(np.where(known, table, 0.0).sum(axis=0), count, out=np.full(items, np.nan), where=count > 0)
