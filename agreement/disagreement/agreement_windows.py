"""Agreement over time: in windows of units that follow each other in the order in which they were completed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import tally
from agreement.intervals.bootstrap import ItemSums, estimate
from agreement.reliability.percent_agreement import percent_agreement

MOST_WINDOWS = 12
FEWEST_UNITS = 20
"""Units of a window, at least."""
TOO_FEW = f"fewer than {2 * FEWEST_UNITS} units with two raters and a time"
NO_TIMES = "the answers have no times"
ONE_MOMENT = "all answers have the same time"

Alpha = Callable[[Ints, Floats, Ints, int], ItemSums]
"""Sums of one alpha from unit (R,), value (R,), item (U,) and the number of items."""


@dataclass(frozen=True)
class TimedAnswers:
    """Answers without repeats: `unit`, `rater`, `value` and `time` (seconds since 1970, NaN: unknown) are (R,); `item`
    is (U,), the item of each unit. `alpha` gives the sums of their alpha, whose key is `name`."""

    unit: Ints
    rater: Ints
    value: Floats
    time: Floats
    item: Ints
    alpha: Alpha
    name: str

    def of_units(self, kept: Ints) -> "TimedAnswers":
        """The answers about the units `kept`, with units and items renumbered from 0."""
        number = np.full(self.item.size, -1, dtype=np.int64)
        number[kept] = np.arange(kept.size)
        rows = np.flatnonzero(number[self.unit] >= 0)
        _, item = np.unique(self.item[kept], return_inverse=True)
        return TimedAnswers(
            number[self.unit[rows]], self.rater[rows], self.value[rows], self.time[rows], item.astype(np.int64),
            self.alpha, self.name,
        )  # fmt: skip


def agreement_of(answers: TimedAnswers, replicates: int, seed: int) -> dict[str, Any]:
    """Alpha and percent agreement of the answers, with intervals over items, and the counts of what they are of."""
    rated = answers.of_units(np.unique(answers.unit))
    items = int(rated.item.max(initial=-1)) + 1
    counted = tally(rated.unit, rated.value, rated.item.size)
    figures = [
        rated.alpha(rated.unit, rated.value, rated.item, items),
        percent_agreement(counted, rated.item, items),
    ]
    row: dict[str, Any] = {
        "ratings": int(rated.unit.size), "units": int(np.count_nonzero(counted.m > 1)), "items": items,
        "raters": int(np.unique(rated.rater).size),
    }  # fmt: skip
    undefined: dict[str, str] = {}
    for (*_, key), found in estimate(figures, items, replicates, seed).items():
        name = "percent_agreement" if key == "percent_agreement" else "alpha"
        row[name], row[f"{name}_ci"] = found.value, list(found.interval) if found.interval else None
        if found.reason is not None:
            undefined[name] = found.reason
        if found.interval_reason is not None:
            undefined[f"{name}_ci"] = found.interval_reason
    return row | {"undefined": undefined}


def agreement_windows(answers: TimedAnswers, replicates: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Agreement in windows: {alpha: the name of the figure, windows, without_time, undefined}.

    Units with two answers are put in the order of their last answer and cut into up to MOST_WINDOWS windows of nearly
    equal numbers of units. A window is {from, to (of last answers, ISO 8601 in UTC), ratings, units, items, raters,
    alpha, alpha_ci, percent_agreement, percent_agreement_ci, undefined}. Units with an answer without a time are left
    out and counted as `without_time`. Without windows, `undefined` says why.
    """
    pairable = np.bincount(answers.unit, minlength=answers.item.size) > 1
    last = np.full(answers.item.size, -np.inf)
    np.maximum.at(last, answers.unit, np.where(np.isnan(answers.time), np.inf, answers.time))
    timed = np.flatnonzero(pairable & np.isfinite(last))
    report: dict[str, Any] = {
        "alpha": answers.name, "windows": [], "without_time": int(pairable.sum()) - timed.size, "undefined": "",
    }  # fmt: skip
    number = min(MOST_WINDOWS, timed.size // FEWEST_UNITS)
    if number < 2:
        no_times = bool(np.isnan(answers.time).all())
        return report | {"undefined": NO_TIMES if no_times and answers.time.size else TOO_FEW}
    if last[timed].min() == last[timed].max():
        return report | {"undefined": ONE_MOMENT}
    ordered = timed[np.argsort(last[timed], kind="stable")]
    for units in np.array_split(ordered, number):
        row = agreement_of(answers.of_units(np.sort(units)), replicates, seed)
        report["windows"].append({"from": _moment(last[units[0]]), "to": _moment(last[units[-1]]), **row})
    return report


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
