"""Judges' labels of turns or tasks against people's: over all units, and over seeded splits beside two baselines.

The label of a unit that counts is its owner's, such as the rating of a session's user (KIWI, section 5), or else the
majority of people's. `leave_one_out` is against all people who labelled the unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import CONFIDENCE, Estimate, Key, Ratios, RekeyedSums, Shares, estimate
from agreement.intervals.report_entries import Report, place, placed
from agreement.meta_evaluation.choice_figures import NO_MAJORITY, leave_one_out_scores, majority_of
from agreement.meta_evaluation.confusion import ConfusionSums, confusion, confusion_table
from agreement.meta_evaluation.label_figures import NO_LABEL, human_row, label_report
from agreement.meta_evaluation.reruns import AveragedReruns

NO_UNIT_OF_THREE = "the judge labelled no unit that three people labelled"
REPLICATES = 1000
SEED = 1


@dataclass(frozen=True)
class LabelledUnits:
    """What people said about units.

    `names` are the K labels; `item` (U,) is each unit's item as a code; `counts` (U, K) are people's labels; `own` (U,)
    is the owner's label, NO_LABEL if there is none, or None if units have no owners. `second` (U,) is the label of
    another person about a unit with an owner, or None.
    """

    names: tuple[str, ...]
    item: Ints
    counts: Floats
    own: Ints | None = None
    second: Ints | None = None

    def truth(self) -> Ints:
        """The label of each unit that counts, (U,), or NO_LABEL."""
        if self.own is not None:
            return self.own
        most = majority_of(self.counts)
        return np.where(most == NO_MAJORITY, NO_LABEL, most)

    def without_each_person(self) -> tuple[Ints, Ints, Ints, Floats]:
        """People's labels beside those of others, (E,) each: unit, the person's, the others', and how many gave it.

        The others' label is the owner's, if units have owners, and otherwise the majority, or NO_LABEL.
        """
        if self.own is not None:
            second = np.full(self.own.size, NO_LABEL) if self.second is None else self.second
            unit = np.flatnonzero(second != NO_LABEL)
            return unit, second[unit], self.own[unit], np.ones(unit.size)
        unit, label = np.nonzero(self.counts)
        rest = self.counts[unit]
        rest[np.arange(unit.size), label] -= 1
        most = majority_of(rest)
        return unit, label, np.where(most == NO_MAJORITY, NO_LABEL, most), self.counts[unit, label]

    @property
    def items(self) -> int:
        return int(self.item.max()) + 1 if self.item.size else 0


@dataclass(frozen=True)
class LabelJudge:
    """A judge's labels, (U,) per rerun, NO_LABEL if it gave none.

    Units whose true label the judge does not know count with another one: `folded` is {label: the other}. `parts` has a
    seeded split per entry, (U,) of the codes in `label_figures`.
    """

    name: str
    reruns: Sequence[Ints]
    parts: Sequence[Ints] = ()
    folded: Mapping[int, int] = field(default_factory=dict)
    about: Report = field(default_factory=dict)


def label_judge_report(
    units: LabelledUnits, judges: Sequence[LabelJudge], *, positive: str, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """`people`, `judges` by name, and how they were compared; `positive` is the label of precision, recall and F1."""
    truth, code = units.truth(), units.names.index(positive)
    keyed, plain = [], []
    for number, judge in enumerate(judges):
        own = _folded(truth, judge.folded)
        tables = [_table(units, own, labels, code) for labels in judge.reruns]
        figures = [AveragedReruns(tables), AveragedReruns([_leave_one_out(units, one) for one in judge.reruns])]
        keyed += [RekeyedSums(one, tuple((str(number), *key) for key in one.keys)) for one in figures]
        used = [int(((own != NO_LABEL) & (one != NO_LABEL)).sum()) for one in judge.reruns]
        plain.append(
            {
                **judge.about, "shape": "label", "units": min(used, default=0), "reruns": len(judge.reruns),
                "confusion": confusion_table(tables[0], units.names),
            }
        )  # fmt: skip
    estimates = estimate(keyed, units.items, replicates, seed)
    beside = [_beside_one_more_person(units, judge, code, replicates, seed) for judge in judges]
    reports: Report = {}
    for number, judge in enumerate(judges):
        report, undefined = plain[number], dict[str, str]()
        place(report, undefined, _of(estimates, number))
        if judge.parts:
            own = _folded(truth, judge.folded)
            report["splits"] = label_report(
                judge.reruns[0], own, units.item, units.names, judge.parts, positive=positive,
                replicates=replicates, seed=seed,
            )  # fmt: skip
        reports[judge.name] = report | {"undefined": undefined, "one_more_person": beside[number]}
    people: Report = {"labels": int(units.counts.sum()), "units": int((truth != NO_LABEL).sum())}
    people["shares"] = {
        name: float(share) for name, share in zip(units.names, _shares(truth, len(units.names)), strict=True)
    }
    if units.second is not None:
        people["second"] = human_row(
            units.second, truth, units.item, units.names, positive=positive, replicates=replicates, seed=seed
        )
    return {
        "positive": positive,
        "people": people,
        "judges": reports,
        "bootstrap": {
            "resampled": "items", "items": units.items, "replicates": replicates if units.items > 1 else 0,
            "seed": seed, "confidence": CONFIDENCE,
        },
    }  # fmt: skip


def _beside_one_more_person(
    units: LabelledUnits, judge: LabelJudge, positive: int, replicates: int, seed: int
) -> Report:
    """The judge and a person against the same labels of other people, on the units that both labelled.

    If units have owners, the person is the second rater and both are compared with the owner's label. Otherwise each
    person is left out in turn, and both are compared with the majority of the others.
    """
    unit, person, truth, weight = units.without_each_person()
    truth = _folded(truth, judge.folded)
    person, shape = _folded(person, judge.folded), (units.items, len(units.names))
    of_judge, of_person, used = [], [], []
    for labels in judge.reruns:
        kept = np.flatnonzero((truth != NO_LABEL) & (labels[unit] != NO_LABEL))
        item, own, n = units.item[unit[kept]], truth[kept], weight[kept]
        of_judge.append(confusion(item, own, labels[unit[kept]], shape, positive=positive, weight=n))
        of_person.append(confusion(item, own, person[kept], shape, positive=positive, weight=n))
        used.append(int(n.sum()))
    report: Report = {"labels": min(used, default=0)}
    for side, tables in (("judge", of_judge), ("person", of_person)):
        report[side] = placed(estimate([AveragedReruns(tables)], units.items, replicates, seed))
    return report


def _of(estimates: Mapping[Key, Estimate], number: int) -> dict[Key, Estimate]:
    return {key[1:]: figure for key, figure in estimates.items() if key[0] == str(number)}


def _folded(truth: Ints, folded: Mapping[int, int]) -> Ints:
    """True labels with those that a judge does not know replaced."""
    own = truth.copy()
    for label, other in folded.items():
        own[truth == label] = other
    return own


def _table(units: LabelledUnits, truth: Ints, labels: Ints, positive: int) -> ConfusionSums:
    used = (truth != NO_LABEL) & (labels != NO_LABEL)
    shape = (units.items, len(units.names))
    return confusion(units.item[used], truth[used], labels[used], shape, positive=positive)


def _leave_one_out(units: LabelledUnits, labels: Ints) -> Ratios:
    used = np.flatnonzero((labels != NO_LABEL) & (units.counts.sum(axis=1) >= 3))
    scores = leave_one_out_scores(units.counts[used], labels[used]) if used.size else np.zeros(0)
    item = units.item[used]
    return Shares(
        keys=(("leave_one_out",),),
        numerator=sum_by(item, scores, units.items)[:, None],
        denominator=np.bincount(item, minlength=units.items)[:, None].astype(np.float64),
        reasons=(NO_UNIT_OF_THREE,),
    )


def _shares(labels: Ints, kinds: int) -> Floats:
    """The share of each label among the units with one, (K,); 0 if no unit has one."""
    counts = np.bincount(labels[labels != NO_LABEL], minlength=kinds)
    return counts / max(int(counts.sum()), 1)
