"""One figure as a page prints it: its decimals, its interval, its place on an axis, or why it is undefined."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.catalogue import Figure
from reports.plots import IntervalBar, interval_bar

DECIMALS = {"count": 0, "share": 3, "alpha": 3, "scale": 2, "percent": 1, "rank": 2, "score": 2, "strength": 2}
FIXED: Mapping[str, tuple[float, float]] = {
    "share": (0.0, 1.0),
    "difference": (-1.0, 1.0),
    "percent": (0.0, 100.0),
}
"""Axes that do not depend on the data."""

Json = Mapping[str, Any]
Axis = tuple[float, float]


@dataclass(frozen=True)
class Shown:
    """One figure as printed: `value` and `interval` in words of digits; `reason` where it is undefined.

    `counts` says of how many it is, where that stands beside it.
    """

    name: str
    figure: Figure
    value: str
    interval: tuple[str, str] | None = None
    bar: IntervalBar | None = None
    reason: str = ""
    counts: str = ""


def number(value: Any, unit: str) -> str:
    """`value` with the decimals of its unit; a minus that is one, and none where all digits are 0."""
    return f"{value:z.{DECIMALS.get(unit, 3)}f}".replace("-", "\N{MINUS SIGN}")


def shown(
    name: str, figure: Figure, value: Any, interval: Sequence[float] | None, reason: str, axis: Axis | None
) -> Shown:
    """A figure with its interval drawn on `axis`, without a drawing where that is None."""
    if value is None:
        return Shown(name, figure, "", reason=reason or "no reason was given")
    ends = (number(interval[0], figure.unit), number(interval[1], figure.unit)) if interval else None
    if figure.unit == "count" or (axis is None and ends is None) or (interval is None and name.endswith(".se")):
        return Shown(name, figure, number(value, figure.unit))
    return Shown(name, figure, number(value, figure.unit), ends, interval_bar(value, interval, axis) if axis else None)


def axis_around(unit: str, values: Iterable[float | None], scale: Axis | None) -> Axis | None:
    """The axis of figures of a unit: a fixed one, the question's scale, or one that holds all values.

    Scores begin at 1, the worst; strengths are around 0.
    """
    if unit in FIXED:
        return FIXED[unit]
    if unit == "scale":
        return scale
    given = [value for value in values if value is not None]
    if not given:
        return None
    if unit == "strength":
        reach = max(math.ceil(max(abs(value) for value in given)), 1)
        return (-float(reach), float(reach))
    return (1.0, float(max(math.ceil(max(given)), 2)))
