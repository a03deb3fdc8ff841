"""How many items and raters a figure needs for an interval of some width, or for some power; minutes and money."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats
from parts.power.figures.simulated_samples import SIMULATED, AssumedValues
from parts.power.figures.stated_costs import StatedCosts

Simulate = Callable[[AssumedValues, int, int, int, np.random.Generator], Floats]
LEAST_ITEMS = 10
LEAST_RATERS = {"alpha": 2}
MOST_CELLS = 40_000_000
"""Runs times items that one simulation may hold."""


def plan_sizes(
    figure: str, aim: str, goal: float, assumed: AssumedValues, raters: Sequence[int], *, most_items: int, runs: int,
    seed: int, costs: StatedCosts,
) -> list[dict[str, Any]]:  # fmt: skip
    """A row per number of raters: {raters, items, answers, reached, minutes, pay, fee, total}; `items` None: too many.

    `aim` is "width" (the mean width of the interval is at most `goal`) or "power" (at least). `reached` is the width or
    power at that many items. Raises ValueError for a figure without the aim.
    """
    _refuse_unknown(figure, aim)
    rows = []
    for count in raters:
        if count < LEAST_RATERS.get(figure, 1):
            continue
        items, reached = _search(figure, aim, goal, assumed, count, most_items, runs, seed)
        rows.append(_row(count, items, reached, costs))
    return rows


def size_as_planned(
    figure: str, aim: str, assumed: AssumedValues, items: int, raters: int, *, runs: int, seed: int, costs: StatedCosts
) -> dict[str, Any] | None:
    """The row of a study of this size, as `plan_sizes` has it; None if it is too small to say anything."""
    _refuse_unknown(figure, aim)
    if items < LEAST_ITEMS or raters < LEAST_RATERS.get(figure, 1):
        return None
    return _row(raters, items, simulated_value(figure, aim, assumed, items, raters, runs, seed), costs)


def _refuse_unknown(figure: str, aim: str) -> None:
    if aim not in SIMULATED.get(figure, {}):
        raise ValueError(f"there is no {aim} of {figure}")


def _row(raters: int, items: int | None, reached: float, costs: StatedCosts) -> dict[str, Any]:
    answers = None if items is None else items * raters
    cost: dict[str, float | None] = {"people": None, "minutes": None, "pay": None, "fee": None, "total": None}
    if answers is not None:
        cost |= costs.of(answers, raters)
    return {"raters": raters, "items": items, "answers": answers, "reached": reached, **cost}


def simulated_value(
    figure: str, aim: str, assumed: AssumedValues, items: int, raters: int, runs: int, seed: int
) -> float:
    """The mean width, or the power, of studies of this size."""
    simulate: Simulate = SIMULATED[figure][aim]  # type: ignore[assignment]
    rng = np.random.default_rng((seed, raters))
    return float(simulate(assumed, items, raters, max(1, min(runs, MOST_CELLS // items)), rng).mean())


def _search(
    figure: str, aim: str, goal: float, assumed: AssumedValues, raters: int, most: int, runs: int, seed: int
) -> tuple[int | None, float]:
    """The fewest items that reach the goal, and what they reach; None with what `most` items reach."""

    def value(items: int) -> float:
        return simulated_value(figure, aim, assumed, items, raters, runs, seed)

    def enough(reached: float) -> bool:
        return reached <= goal if aim == "width" else reached >= goal

    low, high = LEAST_ITEMS, LEAST_ITEMS
    reached = value(high)
    while not enough(reached):
        if high >= most:
            return None, reached
        low, high = high, min(2 * high, most)
        reached = value(high)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        at_middle = value(middle)
        if enough(at_middle):
            high, reached = middle, at_middle
        else:
            low = middle
    return high, reached
