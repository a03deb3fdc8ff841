"""One label per unit from the labels of several raters, by models of the raters, as crowd-kit computes them.

Dawid and Skene (1979) estimate each rater's confusions of labels; MACE (Hovy et al., 2013) how many of a rater's labels
were guessed; GLAD (Whitehill et al., 2009) the ability of raters and the difficulty of units.

Choices within pairs have no first output (`agreement.arrays.pair_sides`). Each pair is given to the models once more
with its outputs exchanged, so that what they learn of raters is the same for first and second; GLAD treats all classes
alike.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, DawidSkene
from numpy.typing import NDArray

from agreement.arrays.pair_choices import SIDES, TIE
from agreement.arrays.rating_arrays import Floats, Ints

SEED = 0
NO_NOISE = 1e-12 - 1
DIGITS = 6
"""Probabilities are rounded to so many decimals: the last digits of a float depend on the machine."""
DAWID_SKENE, MACE_, GLAD_ = "dawid_skene", "mace", "glad"
MODELS: Mapping[str, Callable[[], DawidSkene | MACE | GLAD]] = {
    DAWID_SKENE: DawidSkene,
    # Restarts would all begin with the same numbers. Random ones would depend on the order of raters and labels, so the
    # noise makes the width of their distribution, 1 + noise, as good as 0: all raters and labels begin alike.
    MACE_: lambda: MACE(n_restarts=1, default_noise=NO_NOISE, random_state=SEED),
    GLAD_: GLAD,
}
MOST_LABELS: Mapping[str, int] = {DAWID_SKENE: 1_000_000, MACE_: 100_000, GLAD_: 5_000}
"""How many labels of one question a model is computed from. More labels would take hours."""


NO_LABEL = -1
"""In place of a class if first and second of a pair are equally probable."""


@dataclass(frozen=True)
class CrowdLabels:
    """The most probable class (U,) of each unit, or NO_LABEL, and its probability (U,)."""

    label: Ints
    probability: Floats


def crowd_labels(unit: Ints, rater: Ints, label: Ints) -> dict[str, CrowdLabels]:
    """The labels of each model by its key; `unit`, `rater` and `label` (R,) are codes from 0 without gaps.

    At most one label per unit and rater. There are none if all labels are the same or no unit has two raters, because
    the models then have nothing to learn from; and none of a model that takes fewer labels or does not converge. Of
    equally probable classes the first counts.
    """
    if label.size == 0 or label.max() == 0 or np.bincount(unit).max() < 2:
        return {}
    found = {key: _probabilities(key, unit, rater, label) for key in MODELS}
    return {
        key: CrowdLabels(table.argmax(axis=1).astype(np.int64), table.max(axis=1))
        for key, table in found.items()
        if table is not None
    }


def crowd_labels_of_pairs(unit: Ints, rater: Ints, choice: Ints) -> dict[str, CrowdLabels]:
    """As `crowd_labels`, of choices within pairs: FIRST, SECOND or TIE of `agreement.arrays.pair_choices`."""
    if (choice == TIE).all() or np.bincount(unit).max() < 2:
        return {}
    found = {key: _of_pairs(key, unit, rater, choice) for key in MODELS}
    return {key: _single(table) for key, table in found.items() if table is not None}


def _of_pairs(key: str, unit: Ints, rater: Ints, choice: Ints) -> Floats | None:
    """The probabilities (U, 2 or 3) of the choices, by a model that cannot tell first from second."""
    units = int(unit.max()) + 1
    if key != GLAD_:
        both = np.concatenate([choice, SIDES.mirror[choice]])
        table = _probabilities(key, np.concatenate([unit, unit + units]), np.tile(rater, 2), both)
        return None if table is None else table[:units]
    # GLAD asks only whether raters agree, so any order of each pair will do in which both sides occur.
    decided = np.flatnonzero(choice != TIE)
    pairs, example = np.unique(unit[decided], return_index=True)
    turned = np.zeros(units, dtype=bool)
    turned[pairs] = choice[decided[example]] != np.arange(pairs.size) % 2
    table = _probabilities(key, unit, rater, np.where(turned[unit], SIDES.mirror[choice], choice))
    if table is not None and table.shape[1] > 1:
        table[turned, :TIE] = table[turned, :TIE][:, ::-1]
    return table


def _single(table: Floats) -> CrowdLabels:
    """The most probable choices, NO_LABEL if first and second are equally so."""
    label, probability = table.argmax(axis=1), table.max(axis=1)
    undecided = (table[:, :TIE] == probability[:, None]).sum(axis=1) > 1
    return CrowdLabels(np.where(undecided, NO_LABEL, label).astype(np.int64), probability)


def _probabilities(key: str, unit: Ints, rater: Ints, label: Ints) -> Floats | None:
    """The probabilities (U, K) of the classes by a model; None if it takes fewer labels or does not converge."""
    if label.size > MOST_LABELS[key]:
        return None
    order = np.lexsort((rater, unit))  # the sums of a model depend on the order
    there, code = np.unique(label[order], return_inverse=True)
    # MACE numbers raters and classes by their first appearance in one place and by name in another.
    raters, classes = _appearances(rater[order]), _appearances(code)
    frame = pd.DataFrame(
        {
            "task": _named("unit", unit[order]),
            "worker": _named("rater", raters[rater[order]]),
            "label": _named("class", classes[code]),
        }
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = MODELS[key]().fit_predict_proba(frame)
    found = found.sort_index().reindex(columns=sorted(frame["label"].unique()), fill_value=0.0)
    table = np.round(found.to_numpy(dtype=np.float64), DIGITS)
    units = int(unit.max()) + 1
    if table.shape != (units, there.size) or not np.isfinite(table).all():
        return None
    of_all = np.zeros((units, int(there[-1]) + 1))
    of_all[:, there] = table[:, classes]
    return of_all


def _appearances(codes: Ints) -> Ints:
    """The place of each code (K,) in the order of their first appearances in `codes` (R,)."""
    _, first = np.unique(codes, return_index=True)
    return np.argsort(np.argsort(first)).astype(np.int64)


def _named(kind: str, codes: Ints) -> NDArray[np.object_]:
    """Texts that sort as the codes do: the models confuse labels such as 1 and True."""
    width = len(str(int(codes.max())))
    return np.array([f"{kind} {code:0{width}}" for code in codes.tolist()], dtype=object)
