"""How often each answer was given, for all outputs and for those of each system."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, PairChoices
from agreement.arrays.rating_arrays import Floats, Ints

MOST_VALUES = 25
BINS = 10
TOO_MANY_VALUES = f"there are more than {MOST_VALUES} distinct answers"
NO_ANSWERS = "there are no answers"
OUTCOMES = ("won", "tied", "lost")


def distribution(
    value: Floats, system: Ints, systems: Sequence[str], steps: Sequence[float], scale: tuple[float, float] | None
) -> dict[str, Any]:
    """The counts of answers `value` (R,) about outputs of `system` (R,), below 0 for none: {bins, all, systems,
    undefined}.

    A bin is {low, high}: low = high is a single answer. Bins are the `steps` that could be chosen, in order, and any
    other answer that was given; with more than MOST_VALUES of them, BINS equal parts of the scale if there is one, of
    which the last includes its upper end, with a part below and above for values off the scale. `all` (B,) counts all
    answers, `systems` has (B,) for each system with an answer.
    """
    if not value.size:
        return _undefined(NO_ANSWERS)
    single = np.unique(np.concatenate([np.asarray(steps, dtype=np.float64), value]))
    if single.size <= MOST_VALUES:
        bins = [{"low": one, "high": one} for one in single.tolist()]
        code = np.searchsorted(single, value)
    elif scale is None:
        return _undefined(TOO_MANY_VALUES)
    else:
        edges = np.linspace(*scale, BINS + 1)
        bins = [{"low": low, "high": high} for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]
        code = np.minimum(np.searchsorted(edges, value, side="right") - 1, BINS - 1)
        code[value > scale[1]] = BINS
        if (value < scale[0]).any():
            bins.insert(0, {"low": float(value.min()), "high": scale[0]})
            code = code + 1
        if (value > scale[1]).any():
            bins.append({"low": scale[1], "high": float(value.max())})
    return {"bins": bins, **_counts(code, system, systems, len(bins)), "undefined": ""}


def outcome_distribution(choices: PairChoices) -> dict[str, Any]:
    """How often each system won, tied and lost a judgment; the bins are OUTCOMES, and all answers are not counted."""
    first, second = choices.first[choices.pair], choices.second[choices.pair]
    of_first = np.select([choices.choice == FIRST, choices.choice == TIE], [0, 1], 2)
    of_second = np.select([choices.choice == SECOND, choices.choice == TIE], [0, 1], 2)
    if not choices.choice.size:
        return _undefined(NO_ANSWERS)
    counted = _counts(
        np.concatenate([of_first, of_second]), np.concatenate([first, second]), choices.systems, len(OUTCOMES)
    )  # fmt: skip
    return {"bins": list(OUTCOMES), "systems": counted["systems"], "all": None, "undefined": ""}


def _counts(code: Ints, system: Ints, systems: Sequence[str], bins: int) -> dict[str, Any]:
    known = system >= 0
    cells = np.bincount(system[known] * bins + code[known], minlength=len(systems) * bins).reshape(-1, bins)
    return {
        "all": np.bincount(code, minlength=bins).tolist(),
        "systems": {name: cells[place].tolist() for place, name in enumerate(systems) if cells[place].any()},
    }


def _undefined(reason: str) -> dict[str, Any]:
    return {"bins": [], "all": None, "systems": {}, "undefined": reason}
