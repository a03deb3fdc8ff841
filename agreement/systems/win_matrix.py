"""How often the outputs of one system beat those of another for the same item, with intervals over items."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Estimate, Key, Shares

MOST_CELLS = 12_000_000
"""Items times pairs of systems that have intervals; two tables of as many numbers are held at once."""
TOO_LARGE = "there are too many items and pairs of systems for intervals"


@dataclass(frozen=True)
class Meetings:
    """Outcomes of two systems on an item, (N,) each: `first` < `second` by code, `won` is 1, 1/2 or 0 for the first."""

    item: Ints
    first: Ints
    second: Ints
    won: Floats
    systems: tuple[str, ...]

    @property
    def items(self) -> int:
        return int(self.item.max(initial=-1)) + 1


def meetings_of_choices(choices: PairChoices) -> Meetings:
    """Every judgment of a pair by itself, repeats included."""
    _, item = np.unique(choices.item[choices.pair], return_inverse=True)
    won = np.array([1.0, 0.0, 0.5])[choices.choice]
    return Meetings(
        item.astype(np.int64), choices.first[choices.pair], choices.second[choices.pair], won, choices.systems
    )  # fmt: skip


def meetings_of_scores(scores: ScoresOfOutputs) -> Meetings:
    """For each item, every two of its outputs: the higher score wins, equal ones tie (to 12 digits)."""
    table = scores.table()
    largest = float(np.nanmax(np.abs(table), initial=0.0)) or 1.0
    table = np.round(table / largest, 12)
    columns: list[tuple[Ints, Ints, Ints, Floats]] = []
    for a, b in combinations(range(len(scores.systems)), 2):
        item = np.flatnonzero(~np.isnan(table[:, a]) & ~np.isnan(table[:, b]))
        sign = np.sign(table[item, a] - table[item, b])
        columns.append((item, np.full(item.size, a), np.full(item.size, b), (1 + sign) / 2))
    if not columns:
        return Meetings(*(np.zeros(0, dtype=np.int64),) * 3, np.zeros(0), scores.systems)
    item, first, second, won = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Meetings(item.astype(np.int64), first, second, won, scores.systems)


def win_shares(meetings: Meetings) -> Shares | None:
    """The share of meetings that the first system of each pair won, ties as half; None if there are too many cells."""
    systems = max(len(meetings.systems), 1)
    met, code = np.unique(meetings.first * systems + meetings.second, return_inverse=True)
    shape = (meetings.items, met.size)
    if not met.size or shape[0] * shape[1] > MOST_CELLS:
        return None
    cell = meetings.item * met.size + code
    return Shares(
        keys=tuple(_key(meetings, *divmod(int(pair), systems)) for pair in met),
        numerator=sum_by(cell, meetings.won, shape[0] * shape[1]).reshape(shape),
        denominator=np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64),
        reasons=("",) * met.size,
    )


def _key(meetings: Meetings, a: int, b: int) -> Key:
    return ("wins", meetings.systems[a], meetings.systems[b])


def win_matrix(meetings: Meetings, estimates: dict[Key, Estimate]) -> list[dict[str, Any]]:
    """A row per pair of systems that met: {systems: [a, b], n, win, tie, loss, share, share_ci, undefined}.

    `share` is that of meetings that a won, ties as half. `estimates` has the intervals of `win_shares`.
    """
    systems = max(len(meetings.systems), 1)
    met, code = np.unique(meetings.first * systems + meetings.second, return_inverse=True)
    counts = np.bincount(code * 3 + np.rint(2 * meetings.won).astype(np.int64), minlength=met.size * 3).reshape(-1, 3)
    rows = []
    for pair, (loss, tie, win) in zip(met.tolist(), counts.tolist(), strict=True):
        a, b = divmod(pair, systems)
        found, n = estimates.get(_key(meetings, a, b)), win + tie + loss
        rows.append({
            "systems": [meetings.systems[a], meetings.systems[b]], "n": n, "win": win, "tie": tie, "loss": loss,
            "share": (win + tie / 2) / n,
            "share_ci": list(found.interval) if found and found.interval else None,
            "undefined": TOO_LARGE if found is None else found.interval_reason or "",
        })  # fmt: skip
    return rows
