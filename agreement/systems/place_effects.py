"""Whether answers depend on the place at which an output was shown, with intervals over items."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN, PairChoices
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Key, Ratios, Shares, estimate

ONE_PLACE = "every output was shown at the same place, or the places are not known"
NOT_COMPARED = "no output shown at this place was also judged by another rater"
SIDES = ("first", "tie", "second")
LENGTHS = ("longer", "tie", "shorter")
ORDER_UNKNOWN = "the order on the page is not known for any judgment"
LENGTH_UNKNOWN = "no judgment compares outputs of known and unequal length"


@dataclass(frozen=True)
class PlacedValues:
    """Values without repeats, (R,) each: the `unit` (an output), the value, and the `place` on the page from 0, or
    UNKNOWN; `item` is (U,)."""

    unit: Ints
    value: Floats
    place: Ints
    item: Ints


def place_effects(placed: PlacedValues, replicates: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The answers at each place: {places, undefined}.

    A place is {place (from 1), n, mean, mean_ci, effect, effect_ci, undefined}. `effect` is the mean of the value minus
    the mean of the other raters' values of the same output, so that it does not depend on which outputs were shown
    where; 0 is none.
    """
    known = np.unique(placed.place[placed.place != UNKNOWN])
    if known.size < 2:
        return {"places": [], "undefined": ONE_PLACE}
    rated, unit = np.unique(placed.unit, return_inverse=True)
    _, item = np.unique(placed.item[rated], return_inverse=True)
    items = int(item.max()) + 1
    m, total = np.bincount(unit), sum_by(unit, placed.value, rated.size)
    others = m[unit] - 1
    # 0 if nobody else judged the output; such values do not count, below
    effect = placed.value - (total[unit] - placed.value) / np.maximum(others, 1)
    of_rating = item[unit]
    keys: list[Key] = []
    above, below = [], []
    for place in known.tolist():
        here = placed.place == place
        for name, values, counts in (("mean", placed.value, here), ("effect", effect, here & (others > 0))):
            keys.append((name, str(place)))
            above.append(sum_by(of_rating[counts], values[counts], items))
            below.append(sum_by(of_rating[counts], np.ones(int(counts.sum())), items))
    sums = Ratios(tuple(keys), np.stack(above, axis=1), np.stack(below, axis=1), (NOT_COMPARED,) * len(keys))
    found = estimate([sums], items, replicates, seed)
    rows = []
    for place in known.tolist():
        row: dict[str, Any] = {"place": place + 1, "n": int((placed.place == place).sum())}
        rows.append(with_figures(row, {name: found[name, str(place)] for name in ("mean", "effect")}))
    return {"places": rows, "undefined": ""}


def with_figures(row: dict[str, Any], figures: dict[str, Any]) -> dict[str, Any]:
    """The row with each estimate as `x` and `x_ci`, and the reasons of undefined ones under `undefined`."""
    undefined: dict[str, str] = {}
    for name, figure in figures.items():
        row[name], row[f"{name}_ci"] = figure.value, list(figure.interval) if figure.interval else None
        if figure.reason is not None:
            undefined[name] = figure.reason
        if figure.interval_reason is not None:
            undefined[f"{name}_ci"] = figure.interval_reason
    return row | {"undefined": undefined}


def side_shares(choices: PairChoices, replicates: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The shares of judgments for the output shown first, for neither and for the other, of those with a known order.

    {n, first, first_ci, tie, tie_ci, second, second_ci, undefined}.
    """
    known = choices.shown_first != UNKNOWN
    outcome = np.select([choices.choice == TIE, choices.choice == choices.shown_first], [1, 0], 2)
    return _shares(choices, outcome, known, SIDES, ORDER_UNKNOWN, (replicates, seed))


def length_shares(choices: PairChoices, replicates: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The shares of judgments for the longer output, for neither and for the shorter, of those of unequal length.

    {n, longer, longer_ci, tie, tie_ci, shorter, shorter_ci, undefined}.
    """
    length = choices.length[choices.pair]
    known = np.isfinite(length).all(axis=1) & (length[:, 0] != length[:, 1])
    longer = np.where(length[:, 0] > length[:, 1], FIRST, SECOND)
    outcome = np.select([choices.choice == TIE, choices.choice == longer], [1, 0], 2)
    return _shares(choices, outcome, known, LENGTHS, LENGTH_UNKNOWN, (replicates, seed))


def _shares(
    choices: PairChoices, outcome: Ints, known: np.ndarray, names: tuple[str, ...], reason: str,
    resampled: tuple[int, int],
) -> dict[str, Any]:  # fmt: skip
    _, item = np.unique(choices.item[choices.pair], return_inverse=True)
    items = int(item.max(initial=-1)) + 1
    below = sum_by(item, known.astype(np.float64), items)
    above = [sum_by(item, (known & (outcome == place)).astype(np.float64), items) for place in range(len(names))]
    sums = Shares(
        tuple((name,) for name in names), np.stack(above, axis=1), np.stack([below] * len(names), axis=1),
        (reason,) * len(names),
    )  # fmt: skip
    found = estimate([sums], items, *resampled)
    return with_figures({"n": int(known.sum())}, {name: found[(name,)] for name in names})
