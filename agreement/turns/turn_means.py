"""Means over the turns of sessions, with intervals that draw sessions, as turns of one session are alike.

Source of the figures: Xu et al. 2024, *KIWI*, Tables 2, 3, 4 and 6 and Figure 2, which give no intervals (reading).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from agreement.intervals.bootstrap import Key, Ratios
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from agreement.turns.turn_figures import TurnRow

NO_TURN = "no turn counts here"
NO_SESSION = "there is no session"
TurnValue = Callable[[TurnRow], float | None]
"""A number for a turn, or None if the turn does not count."""


def turn_means(
    turns: Sequence[TurnRow], sessions: Sequence[str], values: Mapping[Key, TurnValue], *, kind: type[Ratios] = Ratios,
    replicates: int = REPLICATES, seed: int = SEED,
) -> Report:  # fmt: skip
    """`means`: the mean of each value over the turns that count, at its key, with `x_ci` beside it.

    `kind` is Shares if all values are 0 or 1. `sessions` are the keys of all sessions, those without a turn too. `n`
    has the number of turns at each key.
    """
    place = {session: number for number, session in enumerate(sessions)}
    total, count = np.zeros((2, len(sessions), len(values)))
    for turn in turns:
        for column, value in enumerate(values.values()):
            found = value(turn)
            if found is not None:
                total[place[turn.session], column] += found
                count[place[turn.session], column] += 1
    figures = kind(tuple(("means", *key) for key in values), total, count, (NO_TURN,) * len(values))
    report = interval_report([figures], len(sessions), replicates=replicates, seed=seed)
    return {**report, "n": {key: int(n) for key, n in zip(values, count.sum(axis=0).tolist(), strict=True)}}


def turns_per_session(
    turns: Sequence[TurnRow], sessions: Mapping[str, str], *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """The mean number of turns per session by model, under `models`, and of all sessions, as `total`, with `x_ci`."""
    keys, models = list(sessions), sorted(set(sessions.values()))
    place = {session: number for number, session in enumerate(keys)}
    turned = np.bincount([place[turn.session] for turn in turns], minlength=len(keys)).astype(np.float64)
    own = np.array([[True, *(sessions[key] == model for model in models)] for key in keys], dtype=np.float64)
    own = own.reshape(len(keys), len(models) + 1)
    columns: tuple[Key, ...] = (("total",), *(("models", model) for model in models))
    figures = Ratios(columns, turned[:, None] * own, own, (NO_SESSION,) * len(columns))
    return interval_report([figures], len(keys), replicates=replicates, seed=seed)
