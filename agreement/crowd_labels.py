"""One label per unit from the labels of several raters, by models of the raters, as crowd-kit computes them.

Dawid and Skene (1979) estimate each rater's confusions of labels; MACE (Hovy et al., 2013) how many of a rater's labels
were guessed; GLAD (Whitehill et al., 2009) the ability of raters and the difficulty of units.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, DawidSkene
from numpy.typing import NDArray

from agreement.rating_arrays import Floats, Ints

SEED = 0
DIGITS = 6
"""Probabilities are rounded to so many decimals: the last digits of a float depend on the machine."""
DAWID_SKENE, MACE_, GLAD_ = "dawid_skene", "mace", "glad"
MODELS: Mapping[str, Callable[[], DawidSkene | MACE | GLAD]] = {
    DAWID_SKENE: DawidSkene,
    # crowd-kit starts each restart from the same seed, so that more of them find the same.
    MACE_: lambda: MACE(n_restarts=1, random_state=SEED),
    GLAD_: GLAD,
}
MOST_LABELS: Mapping[str, int] = {DAWID_SKENE: 1_000_000, MACE_: 100_000, GLAD_: 5_000}
"""How many labels of one question a model is computed from. More labels would take hours."""


@dataclass(frozen=True)
class CrowdLabels:
    """The most probable class (U,) of each unit and its probability (U,)."""

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
    order = np.lexsort((rater, unit))  # the sums of a model depend on the order
    frame = pd.DataFrame(
        {
            "task": _named("unit", unit[order]),
            "worker": _named("rater", rater[order]),
            "label": _named("class", label[order]),
        }
    )
    shape = (int(unit.max()) + 1, int(label.max()) + 1)
    found = {key: _labels(make(), frame, shape) for key, make in MODELS.items() if label.size <= MOST_LABELS[key]}
    return {key: labels for key, labels in found.items() if labels is not None}


def _named(kind: str, codes: Ints) -> NDArray[np.object_]:
    """Texts that sort as the codes do: the models confuse labels such as 1 and True."""
    width = len(str(int(codes.max())))
    return np.array([f"{kind} {code:0{width}}" for code in codes.tolist()], dtype=object)


def _labels(model: DawidSkene | MACE | GLAD, frame: pd.DataFrame, shape: tuple[int, int]) -> CrowdLabels | None:
    """What a model finds for units and classes of this number, or None without a probability of each."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = model.fit_predict_proba(frame)
    found = found.sort_index().reindex(columns=sorted(frame["label"].unique()), fill_value=0.0)
    table = np.round(found.to_numpy(dtype=np.float64), DIGITS)
    if table.shape != shape or not np.isfinite(table).all():
        return None
    return CrowdLabels(table.argmax(axis=1).astype(np.int64), table.max(axis=1))
