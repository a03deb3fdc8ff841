"""Area under the ROC curve of a judge's scores, with people's majority as the label, and its standard error.

AUC is the probability that an output labelled *yes* has a higher score than one labelled *no*, ties counting half. An
output with a tied majority counts half as each. The standard error is that of Hanley and McNeil (1982, Radiology 143:
29-36, equation 1), which reproduces riSum's table 4. It takes outputs as independent, and outputs of one item are not:
with ten correlated outputs per item, intervals made of it cover 70 % instead of 95. The interval draws items instead.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import counts_by_item
from agreement.intervals.bootstrap import Key
from agreement.meta_evaluation.output_answers import rounded

ONE_LABEL = "people's majority is the same for all outputs that the judge scored"
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Auc:
    """`value` in 0..1 with `se`, and the weights of both labels; `value` None with a `reason` if undefined."""

    value: float | None
    se: float | None
    yes: float
    no: float
    reason: str | None = None


@dataclass(frozen=True)
class AucSums:
    """AUC over drawn items: `yes` and `no` (I, K) are the weights of both labels per item and score.

    Scores ascend within groups, which begin at `start` (G,); only outputs of one group are compared.
    """

    yes: Floats | csr_array
    no: Floats | csr_array
    start: Ints

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("auc_roc",),)

    @property
    def _sizes(self) -> Ints:
        """How many scores each group has."""
        return np.diff(self.start, append=self.yes.shape[1])

    def reason(self, key: Key) -> str:
        return ONE_LABEL

    def at(self, weights: Floats) -> Floats:
        found = np.full((weights.shape[0], 1), np.nan)
        block = max(1, CELLS_AT_ONCE // max(self.yes.shape[1], 1))
        for start in range(0, weights.shape[0], block):
            rows = slice(start, start + block)
            up, down = weights[rows] @ self.yes, weights[rows] @ self.no
            if not self.start.size:
                continue
            all_up, all_down = (np.add.reduceat(one, self.start, axis=1) for one in (up, down))
            groups_before = np.repeat(np.cumsum(all_down, axis=1) - all_down, self._sizes, axis=1)
            area = (up * (np.cumsum(down, axis=1) - groups_before - down / 2)).sum(axis=1)
            both = (all_up * all_down).sum(axis=1)
            np.divide(area, both, out=found[rows, 0], where=both > 0)
        return found


def auc_sums(yes: Floats, score: Floats, item: Ints, items: int, group: Ints | None = None) -> AucSums:
    """AUC of scores (E,) as in `auc_roc`, of outputs of these items (E,), over draws of items.

    With `group` (E,) only the outputs of one group are compared with one another.
    """
    group = np.zeros(score.size, dtype=np.int64) if group is None else group
    values, level = np.unique(rounded(score), return_inverse=True)
    cells, column = np.unique(group * max(values.size, 1) + level, return_inverse=True)
    start = np.flatnonzero(np.diff(cells // max(values.size, 1), prepend=-1))
    shape = (items, cells.size)
    return AucSums(counts_by_item(item, column, yes, shape), counts_by_item(item, column, 1 - yes, shape), start)


def auc_roc(yes: Floats, score: Floats) -> Auc:
    """AUC of scores (E,) for outputs that are *yes* with weight `yes` (E,): 1, 0, or 0.5 for a tied majority."""
    positive, negative = float(yes.sum()), float((1 - yes).sum())
    if positive == 0 or negative == 0:
        return Auc(None, None, positive, negative, ONE_LABEL)
    values, level = np.unique(rounded(score), return_inverse=True)
    up = np.bincount(level, yes, values.size)
    down = np.bincount(level, 1 - yes, values.size)
    below = np.cumsum(down) - down
    area = float((up * (below + down / 2)).sum() / (positive * negative))
    return Auc(area, hanley_mcneil(area, positive, negative), positive, negative)


def hanley_mcneil(area: float, positive: float, negative: float) -> float:
    """The standard error of an AUC from the numbers of both labels."""
    q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (positive - 1) * (q1 - area**2) + (negative - 1) * (q2 - area**2)
    return float(np.sqrt(max(variance, 0.0) / (positive * negative)))
