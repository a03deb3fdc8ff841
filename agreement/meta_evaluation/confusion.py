"""Figures of two columns of labels, from counts of label pairs per item: accuracy, F1, kappa and alpha.

A cell [a, b] counts units that people's majority calls a and the judge b. Precision, recall and F1 of a label that the
judge never gives, or people never, are 0; macro means run over the labels that either gives. Alpha is Krippendorff's of
two raters; with a matrix of distances, such as MASI's, it weights disagreements by them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import SHARE, ItemRatio, Key

NOTHING_SHARED = "no unit has both a majority of people's answers and an answer of the judge"
ONE_LABEL_ONLY = "people and the judge gave only one and the same label"
MASI_OF_PAIRS = np.array([[0, 1, 2 / 3], [1, 0, 2 / 3], [2 / 3, 2 / 3, 0]])
"""MASI distances between the sets {1}, {2} and {1, 2}: first, second and tie."""
ALWAYS = ("accuracy", "precision_macro", "recall_macro", "f1_macro", "cohen_kappa", "alpha_nominal")
OF_POSITIVE = ("precision", "recall", "f1")


@dataclass(frozen=True)
class ConfusionSums:
    """Counts (I, K * K) of the items' label pairs.

    `distances` (K, K) adds `alpha_masi`; `positive`, a label's code, adds precision, recall and F1 of that label. With
    `over_all`, macro means run over all K labels.
    """

    counts: Floats
    labels: int
    distances: Floats | None = None
    positive: int | None = None
    over_all: bool = False

    @property
    def keys(self) -> tuple[Key, ...]:
        names = [*ALWAYS, *(["alpha_masi"] if self.distances is not None else [])]
        return tuple((name,) for name in (*names, *(OF_POSITIVE if self.positive is not None else ())))

    def reason(self, key: Key) -> str:
        return ONE_LABEL_ONLY if self.counts.sum() else NOTHING_SHARED

    def at(self, weights: Floats) -> Floats:
        return self.of_tables(self.tables(weights))

    def ratio(self, key: Key) -> ItemRatio | None:
        """The accuracy is a share of units."""
        if key != ("accuracy",):
            return None
        hits = self.counts[:, :: self.labels + 1].sum(axis=1)
        return ItemRatio(hits, self.counts.sum(axis=1), SHARE)

    def tables(self, weights: Floats) -> Floats:
        """The counts with items weighted, people's label by the judge's, (b, K, K)."""
        return (weights @ self.counts).reshape(-1, self.labels, self.labels)

    def of_tables(self, table: Floats) -> Floats:
        """The figures (b, F) of tables of counts (b, K, K)."""
        total = table.sum(axis=(1, 2))
        people, judge = table.sum(axis=2), table.sum(axis=1)
        hits = np.diagonal(table, axis1=1, axis2=2)
        precision, recall, f1 = _ratio(hits, judge), _ratio(hits, people), _ratio(2 * hits, people + judge)
        present = ((people + judge) > 0) | (self.over_all & (total > 0))[:, None]
        columns = [_share(hits.sum(axis=1), total)]
        columns += [
            _share(np.where(present, of_label, 0).sum(axis=1), present.sum(axis=1).astype(np.float64))
            for of_label in (precision, recall, f1)
        ]
        columns += [_kappa(hits, people, judge, total), _alpha(table, 1 - np.eye(self.labels))]
        if self.distances is not None:
            columns.append(_alpha(table, self.distances))
        if self.positive is not None:
            some = np.where(total > 0, 1.0, np.nan)
            columns += [of_label[:, self.positive] * some for of_label in (precision, recall, f1)]
        return np.stack(columns, axis=1)


def confusion(
    item: Ints,
    people: Ints,
    judge: Ints,
    shape: tuple[int, int],
    *,
    distances: Floats | None = None,
    positive: int | None = None,
    weight: Floats | None = None,
    sides: Sides | None = None,
) -> ConfusionSums:
    """Counts from three columns (N,): the items, and the labels of people and of the judge as codes 0..K-1.

    `shape` is (I, K); `weight` (N,) counts a row other than once. With `sides`, labels are choices within pairs: each
    item's table is averaged with that of the exchanged outputs.
    """
    items, labels = shape
    cell = (item * labels + people) * labels + judge
    counts = sum_by(cell, np.ones(cell.size) if weight is None else weight, items * labels * labels)
    if sides is not None:
        counts = sides.shared_table(counts.reshape(items, labels, labels))
    return ConfusionSums(counts.reshape(items, labels * labels), labels, distances, positive)


def confusion_table(sums: ConfusionSums, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """The counts by people's label and then by the judge's, as a report prints them."""
    table = sums.counts.sum(axis=0).reshape(sums.labels, sums.labels)
    return {
        own: {other: float(table[row, column]) for column, other in enumerate(names)} for row, own in enumerate(names)
    }


def _ratio(above: Floats, below: Floats) -> Floats:
    """The quotient, 0 where the denominator is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _share(above: Floats, below: Floats) -> Floats:
    """The quotient, NaN where the denominator is 0."""
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def _kappa(hits: Floats, people: Floats, judge: Floats, total: Floats) -> Floats:
    """Cohen's kappa, NaN where agreement by chance is complete."""
    observed = _share(hits.sum(axis=1), total)
    chance = _share((people * judge).sum(axis=1), total**2)
    return _share(observed - chance, np.where(chance < 1 - 1e-12, 1 - chance, 0))


def _alpha(table: Floats, distances: Floats) -> Floats:
    """Krippendorff's alpha of two raters; NaN if they gave only one label together."""
    both = table + table.transpose(0, 2, 1)
    n_c = both.sum(axis=2)
    n = n_c.sum(axis=1)
    expected = np.einsum("bk,kl,bl->b", n_c, distances, n_c)
    observed = (both * distances).sum(axis=(1, 2))
    return 1 - _share((n - 1) * observed, expected)
