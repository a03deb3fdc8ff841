"""Whether two sets of items, such as a public and a private one, rank systems alike (HREF, 4.3).

The correlation is that of the systems' expected win rates on the two sets: Pearson's of the rates, Spearman's of their
ranks, with equal rates at their mean rank.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import Key
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import rounded
from parts.papers.figures.win_rates import PreferenceTable

TOO_FEW = "fewer than three systems were judged on both sets of items"
CONSTANT = "all systems have the same rate on one of the sets"


@dataclass(frozen=True)
class SetCorrelations:
    """Both correlations, from sums (I, S) of the systems' values and counts on each of the two sets."""

    totals: tuple[Floats, Floats]
    counts: tuple[Floats, Floats]

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("pearson",), ("spearman",))

    def reason(self, key: Key) -> str:
        return CONSTANT if self.totals[0].shape[1] > 2 else TOO_FEW

    def rates(self, weights: Floats) -> tuple[Floats, Floats]:
        """The systems' rates on both sets, (b, S) each, NaN if a system has no item of the set."""
        rates = []
        for total, judged in zip(self.totals, self.counts, strict=True):
            count = weights @ judged
            rates.append(np.divide(weights @ total, count, out=np.full(count.shape, np.nan), where=count > 0))
        return rounded(rates[0]), rounded(rates[1])

    def at(self, weights: Floats) -> Floats:
        first, second = self.rates(weights)
        ranks = rankdata(first, axis=1), rankdata(second, axis=1)
        found = np.stack([_pearson(first, second), _pearson(*ranks)], axis=1)
        return np.where(np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1), found.T, np.nan).T


def set_correlation_report(
    table: PreferenceTable,
    first: np.ndarray,
    second: np.ndarray,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`pearson` and `spearman` with `x_ci`, and `rates`: {system: [on the first set, on the second]}.

    `first` and `second`, (I,), are true for the items of each set. Only systems judged on both count. Intervals draw
    items and keep the systems; draws in which a system has no item of a set are left out. `items` has the sizes of both
    sets, counting items with a judgment.

    Raises ValueError for sets with a common item, or of another number of items.
    """
    if first.shape != second.shape or first.shape != (table.value.shape[0],):
        raise ValueError("the sets must have one entry per item")
    if (first & second).any():
        raise ValueError("the sets must not share an item")
    total, count = table.sums
    masks = [own[:, None].astype(np.float64) for own in (first, second)]
    both = np.all([(count * own).any(axis=0) for own in masks], axis=0)
    sums = SetCorrelations(
        (total[:, both] * masks[0], total[:, both] * masks[1]), (count[:, both] * masks[0], count[:, both] * masks[1])
    )
    report = interval_report([sums], total.shape[0], replicates=replicates, seed=seed)
    names = [name for name, judged in zip(table.systems, both.tolist(), strict=True) if judged]
    of_sets = [rates[0].tolist() for rates in sums.rates(np.ones((1, total.shape[0])))]
    sizes = [int((count.any(axis=1) & own).sum()) for own in (first, second)]
    return {"items": sizes, "rates": {name: list(pair) for name, *pair in zip(names, *of_sets, strict=True)}, **report}


def _pearson(x: Floats, y: Floats) -> Floats:
    """Pearson's r of each row, (b,), NaN with fewer than three columns or a constant row."""
    if x.shape[1] < 3:
        return np.full(x.shape[0], np.nan)
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    squares = (x * x).sum(axis=1) * (y * y).sum(axis=1)
    r = np.divide((x * y).sum(axis=1), np.sqrt(squares), out=np.full(x.shape[0], np.nan), where=squares > 1e-20)
    return np.clip(r, -1, 1)
