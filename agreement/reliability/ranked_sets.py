"""Agreement on whole rankings, among raters who ranked exactly the same outputs of an item."""

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import ItemSums, Key, RekeyedSums
from agreement.reliability.alpha import alpha_sums
from agreement.reliability.masi import SetAlphaSums, masi_sums

RANK_ALPHAS = (("alpha_ordinal_ranks",), ("alpha_interval_ranks",))


def shared(rankings: Rankings) -> tuple[Rankings, Ints]:
    """The rankings that can be compared with another rater's, and the code of the set of outputs that each ranks.

    Two rankings have the same code, (N,), if they rank the same outputs of the same item. Only codes with two or more
    raters are kept, and only the last of several rankings by one rater.
    """
    _, kind = np.unique(rankings.rows(rankings.system), axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    last = rankings.latest(kind)
    key = rankings.item[last] * (int(kind.max(initial=0)) + 1) + kind[last]
    _, unit = np.unique(key, return_inverse=True)
    several = np.bincount(unit)[unit] > 1
    _, unit = np.unique(unit[several], return_inverse=True)
    return rankings.only(last[several]), unit.astype(np.int64)


def of_whole_rankings(rankings: Rankings, items: int) -> tuple[list[ItemSums], int]:
    """alpha_masi_rankings, alpha_ordinal_ranks and alpha_interval_ranks, and the number of shared sets of outputs.

    A whole ranking is the set of its (output, rank) pairs. With ranks as values, a unit is an output of an item within
    one set of outputs.
    """
    compared, unit = shared(rankings)
    units = int(unit.max(initial=-1)) + 1
    item = np.zeros(units, dtype=np.int64)
    item[unit] = compared.item
    whole = alpha_of_rankings(("alpha_masi_rankings",), compared, compared.rank.astype(np.float64), unit, item, items)
    systems = max(len(compared.systems), 1)
    _, cell = np.unique(unit[compared.ranking] * systems + compared.system, return_inverse=True)
    own = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    own[cell] = compared.item[compared.ranking]
    ranks = alpha_sums(cell, compared.rank.astype(np.float64), own, items, ("ordinal", "interval"))
    return [whole, RekeyedSums(ranks, RANK_ALPHAS)], units


def alpha_of_rankings(key: Key, rankings: Rankings, value: Floats, unit: Ints, item: Ints, items: int) -> SetAlphaSums:
    """Alpha with MASI of rankings as sets of (output, value) pairs; `value` (E,) is the rank or a code for it.

    Rankings of the same outputs of the same item have the same `unit` (N,); `item` (U,) is the item of each unit.
    """
    distinct, level = np.unique(value, return_inverse=True)
    _, element = np.unique(rankings.system * max(distinct.size, 1) + level, return_inverse=True)
    rows, code = np.unique(rankings.rows(element.astype(np.int64)), axis=0, return_inverse=True)
    member = rows >= 0
    columns = rows[member]
    shape = (rows.shape[0], int(columns.max(initial=-1)) + 1)
    sets = csr_array((np.ones(columns.size), (np.nonzero(member)[0], columns)), shape=shape)
    return masi_sums(key, unit, code.reshape(-1).astype(np.int64), item, items, sets)
