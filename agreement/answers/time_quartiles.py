"""How long answers took: quartiles of groups of answers, which say nothing about single people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints

CLOCKS = ("seconds", "visible_seconds", "active_seconds")
"""By the server from opening to submitting; and as the page counted, while it was visible and while it was in use."""
FEWEST = 5
"""Answers of a group that has quartiles, so that no figure shows a single answer."""
TOO_FEW = f"fewer than {FEWEST} answers have a time"
PARTS = (25, 50, 75)


@dataclass(frozen=True)
class AnswerTimes:
    """The clocks of answers, (R, len(CLOCKS)), NaN if unknown, the `words` (R,) that each had to read, and the code of
    its `system` (R,), -1 if a task shows several outputs."""

    seconds: Floats
    words: Floats
    system: Ints
    systems: tuple[str, ...]


def time_quartiles(times: AnswerTimes) -> dict[str, list[dict[str, Any]]]:
    """Quartiles of all answers, by quarters of the words to read, and by system: {all, words, systems}.

    A row is {name, answers, and for each of CLOCKS [first quartile, median, third quartile] or None, undefined}; a row
    of `words` has {low, high} in place of the name. A kind with a single group is empty.
    """
    everything = np.ones(times.words.size, dtype=np.bool_)
    if not times.words.size:
        return {"all": [], "words": [], "systems": []}
    systems = [
        _row({"name": name}, times, times.system == code)
        for code, name in enumerate(times.systems)
        if (times.system == code).any()
    ]
    return {
        "all": [_row({"name": ""}, times, everything)],
        "words": _by_words(times),
        "systems": systems if len(systems) > 1 else [],
    }


def _by_words(times: AnswerTimes) -> list[dict[str, Any]]:
    known = times.words[np.isfinite(times.words)]
    if not known.size:
        return []
    ends = np.unique(np.append(np.quantile(known, (0.25, 0.5, 0.75), method="inverted_cdf"), known.max()))
    if ends.size < 2:
        return []
    group = np.searchsorted(ends, times.words)  # NaN sorts after all
    return [
        _row({"low": int(times.words[group == place].min()), "high": int(high)}, times, group == place)
        for place, high in enumerate(ends.tolist())
    ]


def _row(row: dict[str, Any], times: AnswerTimes, members: np.ndarray) -> dict[str, Any]:
    undefined: dict[str, str] = {}
    for column, clock in enumerate(CLOCKS):
        values = times.seconds[members, column]
        values = values[np.isfinite(values)]
        row[clock] = _quartiles(values) if values.size >= FEWEST else None
        if row[clock] is None:
            undefined[clock] = TOO_FEW
    return {**row, "answers": int(members.sum()), "undefined": undefined}


def _quartiles(values: Sequence[float] | Floats) -> list[float]:
    return [float(one) for one in np.percentile(values, PARTS)]
