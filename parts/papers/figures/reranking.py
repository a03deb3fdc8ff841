"""Judges as re-rankers: how good is the output that a judge picks for each item?

Liu et al. 2024, InstruSum, Table 8, compare this with how good the judge's model is as a generator. The re-ranker picks
the output that the judge scores highest, any of those that tie; the picked output has the mean of people's scores.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import ItemSums, Ratios
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report, under
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import Outputs, rounded
from agreement.meta_evaluation.score_figures import scored_by_both

NO_ITEM = "no item has two outputs that both people and the judge scored"
NO_CANDIDATES = "no item has two outputs that people scored"
NO_OUTPUT = "people scored no output of the system"


def reranking_report(
    people: Floats,
    judges: Mapping[str, Sequence[Floats]],
    outputs: Outputs,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`random_pick`, `best_possible`, `systems` by name and `judges` by name, on the scale of people's scores.

    `people` (O,) is people's mean score of each output, such as the mean s_i; a judge has one array (O,) per rerun, and
    its figures are means over items and reruns; NaN without a score. A judge is {items, picked, gain}: the expected
    score of what it picks, and that minus a random pick from the same outputs. `random_pick` and `best_possible` are
    over items with two outputs that people scored; a system is {score}, over all its outputs. `x_ci` is beside each;
    the reasons are in `undefined`.

    Raises ValueError for a judge without a rerun.
    """
    if any(not reruns for reruns in judges.values()):
        raise ValueError("a judge must have at least one rerun")
    scored = np.flatnonzero(np.isfinite(people))
    lines = _picks(outputs.item[scored], people[scored], people[scored], outputs.items)
    figures: list[ItemSums] = [
        _mean_of(("random_pick", "best_possible"), lines[:, :2], lines[:, 2], NO_CANDIDATES),
        _of_systems(people, scored, outputs),
    ]
    used: dict[str, int] = {}
    for name, reruns in judges.items():
        picks = np.sum([_of_judge(people, scores, outputs) for scores in reruns], axis=0)
        values = np.stack([picks[:, 1], picks[:, 1] - picks[:, 0]], axis=1)
        figures.append(under(("judges", name), _mean_of(("picked", "gain"), values, picks[:, 2], NO_ITEM)))
        used[name] = int(np.count_nonzero(picks[:, 2]))
    report: Report = {"items": int(lines[:, 2].sum()), "systems": {}, "judges": {}}
    report |= interval_report(figures, outputs.items, replicates=replicates, seed=seed)
    for name, items in used.items():
        report["judges"][name]["items"] = items
    return report


def _of_judge(people: Floats, judge: Floats, outputs: Outputs) -> Floats:
    """The picks of one rerun, (I, 3)."""
    scored = scored_by_both(people, judge)
    return _picks(outputs.item[scored.output], scored.people, scored.judge, outputs.items)


def _picks(item: Ints, people: Floats, judge: Floats, items: int) -> Floats:
    """For each item with two outputs: people's score of a random output, of the one picked, and 1; others are 0."""
    score = rounded(judge)
    best = np.full(items, -np.inf)
    np.maximum.at(best, item, score)
    is_best = score == best[item]
    count, number_of_best = np.bincount(item, minlength=items), np.bincount(item, is_best, items)
    several = count > 1
    random = np.where(several, sum_by(item, people, items) / np.maximum(count, 1), 0.0)
    picked = np.where(several, sum_by(item, people * is_best, items) / np.maximum(number_of_best, 1), 0.0)
    return np.stack([random, picked, several.astype(np.float64)], axis=1)


def _mean_of(names: Sequence[str], values: Floats, count: Floats, reason: str) -> Ratios:
    """Means of the columns of `values` (I, F) over `count` (I,)."""
    below = np.repeat(count[:, None], len(names), axis=1)
    return Ratios(tuple((name,) for name in names), values, below, (reason,) * len(names))


def _of_systems(people: Floats, scored: Ints, outputs: Outputs) -> Ratios:
    """The mean score of each system's outputs."""
    items, systems = outputs.items, len(outputs.systems)
    cell = outputs.item[scored] * systems + outputs.system[scored]
    return Ratios(
        keys=tuple(("systems", name, "score") for name in outputs.systems),
        numerator=sum_by(cell, people[scored], items * systems).reshape(items, systems),
        denominator=sum_by(cell, np.ones(cell.size), items * systems).reshape(items, systems),
        reasons=(NO_OUTPUT,) * systems,
    )
