"""A judge's labels of turns or tasks against people's, over seeded splits, beside two baselines and people themselves.

`two_way` has one label as the positive class and all others as one; precision, recall and F1 are the positive class's.
`all_labels` has every label; precision, recall and F1 are means over all of them (macro). Both have the accuracy,
Cohen's kappa and the share of each predicted label. Precision, recall and F1 of a label that was never given, or never
right, are 0.

Each split of the units has a training and a test part; figures are of the test part, averaged over the splits. The
judge sees the training part alone. Baselines answer the units that the judge answered: *majority* gives the most common
training label, the first by name if several are, and *random* draws labels by their shares in the training part. Its
figures are exact expectations. Given that a label is drawn k times for n units, the expected number of hits is k times
the share of the label, so with q the probability of the label and c of n units having it,

    E precision = c / n (1 - (1 - q)^n)
    E F1 = sum_k P(k) 2 (k c / n) / (c + k),   k binomial with n and q

and the expected kappa is 0. Intervals draw items; `random` needs none.

Source: Xu et al. 2024, *KIWI*, section 5, Tables 5 and 7.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from scipy import stats

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import SHARE, ItemRatio, ItemSums, Key, RekeyedSums, estimate
from agreement.intervals.report_entries import Report, place
from agreement.meta_evaluation.confusion import ConfusionSums, confusion
from agreement.meta_evaluation.reruns import AveragedReruns

TRAINING, VALIDATION, TEST = 0, 1, 2
"""The parts of a split, as codes."""
NO_LABEL = -1
FIGURES = ("accuracy", "precision", "recall", "f1", "cohen_kappa")
NO_TEST = "no unit of a test part has a label of people and of the judge"
NO_SPREAD = "the figure is undefined for the test part of a split"
NO_TRAINING = "a training part has no label"
OTHERS = "others"


@dataclass(frozen=True)
class LabelFigures:
    """FIGURES and the shares of predicted labels, as `labels`, from counts of label pairs by item."""

    sums: ConfusionSums
    names: tuple[str, ...]

    @property
    def keys(self) -> tuple[Key, ...]:
        return (*((name,) for name in FIGURES), *(("labels", name) for name in self.names))

    def reason(self, key: Key) -> str:
        return self.sums.reason(("accuracy",)) if self.sums.counts.sum() else NO_TEST

    def ratio(self, key: Key) -> ItemRatio | None:
        """The accuracy, and each label's part of the predicted ones, are shares of units."""
        if key[0] != "labels":
            return self.sums.ratio(key)
        kinds = self.sums.labels
        predicted = self.sums.counts.reshape(-1, kinds, kinds).sum(axis=1)
        return ItemRatio(predicted[:, self.names.index(key[1])], predicted.sum(axis=1), SHARE)

    def at(self, weights: Floats) -> Floats:
        macro = "" if self.sums.positive is not None else "_macro"
        wanted = ["accuracy", f"precision{macro}", f"recall{macro}", f"f1{macro}", "cohen_kappa"]
        columns = [self.sums.keys.index((name,)) for name in wanted]
        tables = self.sums.tables(weights)
        predicted = tables.sum(axis=1)
        total = predicted.sum(axis=1, keepdims=True)
        shares = np.divide(predicted, total, out=np.full(predicted.shape, np.nan), where=total > 0)
        return np.concatenate([self.sums.of_tables(tables)[:, columns], shares], axis=1)


@dataclass(frozen=True)
class _Way:
    """One way of grouping labels: names of the classes, and the class of each label code."""

    names: tuple[str, ...]
    classes: Ints
    positive: int | None

    def figures(self, people: Ints, predicted: Ints, item: Ints, items: int) -> LabelFigures:
        sums = confusion(
            item, self.classes[people], self.classes[predicted], (items, len(self.names)), positive=self.positive
        )
        over_all = ConfusionSums(sums.counts, sums.labels, None, sums.positive, over_all=True)
        return LabelFigures(over_all, self.names)


def label_report(
    judge: Ints, people: Ints, item: Ints, names: Sequence[str], parts: Sequence[Ints], *, positive: str,
    replicates: int = 1000, seed: int = 1,
) -> Report:  # fmt: skip
    """`two_way` and `all_labels`, each with the figures of the `judge`, `majority` and `random`, averaged over splits.

    `judge`, `people` and `item` (U,) have each unit's labels as codes into `names`, or NO_LABEL, and its item; `parts`
    has a split per entry, (U,) of TRAINING, VALIDATION and TEST. `units` is the mean number of test units with both
    labels, and `spread` the judge's standard deviations over splits, of the figures that every split has.

    Raises ValueError if `positive` is not one of the names, or there is no split.
    """
    if positive not in names or not parts:
        raise ValueError("the positive class must be a label, and there must be a split")
    items = int(item.max()) + 1 if item.size else 0
    tests = [np.flatnonzero((part == TEST) & (people != NO_LABEL) & (judge != NO_LABEL)) for part in parts]
    training = [np.bincount(people[(part == TRAINING) & (people != NO_LABEL)], minlength=len(names)) for part in parts]
    report: Report = {"splits": len(parts), "units": float(np.mean([test.size for test in tests]))}
    ways, undefined, rows = _ways(names, positive), dict[str, str](), list[ItemSums]()
    known = all(counts.any() for counts in training)
    for name, way in ways.items():
        predictions: dict[str, Callable[[int], Ints]] = {"judge": lambda split: judge[tests[split]]}
        if known:
            predictions["majority"] = lambda split: np.full(tests[split].size, training[split].argmax())
        for row, predicted in predictions.items():
            figures = AveragedReruns(
                [way.figures(people[test], predicted(split), item[test], items) for split, test in enumerate(tests)]
            )
            rows.append(RekeyedSums(figures, tuple((name, row, *key) for key in figures.keys)))
            if row == "judge" and len(parts) > 1:
                spread = zip(figures.keys, figures.spread(items).tolist(), strict=True)
                found = {key[0]: None if isnan(sd) else sd for key, sd in spread if len(key) == 1}
                report[f"{name}_spread"] = found
                undefined |= {f"{name}_spread.{figure}": NO_SPREAD for figure, sd in found.items() if sd is None}
    place(report, undefined, estimate(rows, items, replicates, seed))
    for name, way in ways.items():
        for row in ("majority", "random"):
            if not known:
                report.setdefault(name, {})[row] = None
                undefined[f"{name}.{row}"] = NO_TRAINING
        if known:
            report[name]["random"] = _mean_random(way, [people[test] for test in tests], training)
    return report | {"undefined": undefined}


def human_row(
    second: Ints, people: Ints, item: Ints, names: Sequence[str], *, positive: str, replicates: int = 1000,
    seed: int = 1,
) -> Report:  # fmt: skip
    """The figures of other people's labels, `second` (U,), both ways, each with `_ci` and the bootstrap's `_sd`."""
    used = np.flatnonzero((second != NO_LABEL) & (people != NO_LABEL))
    items = int(item.max()) + 1 if item.size else 0
    rows = []
    for name, way in _ways(names, positive).items():
        figures = way.figures(people[used], second[used], item[used], items)
        rows.append(RekeyedSums(figures, tuple((name, *key) for key in figures.keys)))
    estimates = estimate(rows, items, replicates, seed)
    report: Report = {"units": int(used.size)}
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    for (way_name, *rest), figure in estimates.items():
        if len(rest) == 1:
            report[way_name][f"{rest[0]}_sd"] = figure.deviation
    return report | {"undefined": undefined}


def _ways(names: Sequence[str], positive: str) -> dict[str, _Way]:
    own = np.array([0 if name == positive else 1 for name in names], dtype=np.int64)
    return {
        "two_way": _Way((positive, OTHERS), own, 0),
        "all_labels": _Way(tuple(names), np.arange(len(names)), None),
    }


def _mean_random(way: _Way, tests: Sequence[Ints], training: Sequence[Ints]) -> Report:
    """The expected figures of random labels, averaged over the splits with a test unit."""
    rows = []
    for test, counts in zip(tests, training, strict=True):
        share = np.bincount(way.classes, counts, len(way.names)) / counts.sum()
        if test.size:
            rows.append(random_figures(np.bincount(way.classes[test], minlength=len(way.names)), share, way.positive))
    if not rows:
        return dict.fromkeys(FIGURES) | {"labels": {}}
    mean = np.mean(rows, axis=0)
    labels = zip(way.names, mean[len(FIGURES) :].tolist(), strict=True)
    return dict(zip(FIGURES, mean[: len(FIGURES)].tolist(), strict=True)) | {"labels": dict(labels)}


def random_figures(counts: Ints, share: Floats, positive: int | None) -> Floats:
    """The expectations of FIGURES, then `share` itself, (5 + K,), for labels drawn with probabilities `share` (K,).

    `counts` (K,) are the units with each label; without `positive`, precision, recall and F1 are means over labels.
    """
    n = int(counts.sum())
    drawn = np.arange(n + 1)
    columns = []
    for c, q in zip(counts.tolist(), share.tolist(), strict=True):
        chance = stats.binom.pmf(drawn, n, q)
        f1 = float(chance[1:] @ (2 * drawn[1:] * (c / n) / (c + drawn[1:])))
        columns.append((c / n * (1 - (1 - q) ** n), q if c else 0.0, f1))
    figures = np.array(columns)
    chosen = figures.mean(axis=0) if positive is None else figures[positive]
    return np.concatenate([[float(counts @ share) / n], chosen, [0.0], share])
