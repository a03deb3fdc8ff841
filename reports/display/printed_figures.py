"""A single figure as a page prints it: with its decimals, its interval and its place on an axis, or a reason."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.catalogue import Figure
from reports.display.plots import IntervalBar, interval_bar

DECIMALS = {
    "count": 0, "share": 3, "alpha": 3, "scale": 2, "percent": 1, "rank": 2, "score": 2, "strength": 2, "weight": 2,
}  # fmt: skip
UNIT = (0.0, 1.0)
BOTH_WAYS = (-1.0, 1.0)
FIXED: Mapping[str, tuple[float, float]] = {"share": UNIT, "difference": BOTH_WAYS, "percent": (0.0, 100.0)}
"""Axes that do not depend on the data."""
SMALLEST_P = 0.0005

Json = Mapping[str, Any]
Axis = tuple[float, float]


@dataclass(frozen=True)
class PrintedFigure:
    """One figure as text: `value` and the ends of its `interval`, or the `reason` why it is undefined.

    `counts` is printed beside the value: what it is a share of, or another figure.
    """

    name: str
    figure: Figure
    value: str
    interval: tuple[str, str] | None = None
    bar: IntervalBar | None = None
    reason: str = ""
    counts: str = ""


def number(value: Any, unit: str) -> str:
    """`value` with the decimals of its unit and a true minus sign, without a minus if all digits are 0."""
    return f"{value:z.{DECIMALS.get(unit, 3)}f}".replace("-", "\N{MINUS SIGN}")


def p_value(value: float) -> str:
    """A p-value with three decimals."""
    return "< 0.001" if value < SMALLEST_P else f"{value:.3f}"


def printed(
    name: str, figure: Figure, value: Any, interval: Sequence[float] | None, reason: str, axis: Axis | None
) -> PrintedFigure:
    """A figure with its interval, drawn on `axis` if there is one."""
    if value is None:
        return PrintedFigure(name, figure, "", reason=reason or "no reason was given")
    ends = (number(interval[0], figure.unit), number(interval[1], figure.unit)) if interval else None
    if figure.unit == "count" or (axis is None and ends is None) or (interval is None and name.endswith(".se")):
        return PrintedFigure(name, figure, number(value, figure.unit))
    bar = interval_bar(value, interval, axis) if axis else None
    return PrintedFigure(name, figure, number(value, figure.unit), ends, bar)


def plain(figure: Figure, value: str, reason: str = "", counts: str = "") -> PrintedFigure:
    """A figure whose text is known."""
    return PrintedFigure("", figure, value, reason=reason, counts=counts)


def axis_around(unit: str, values: Iterable[float | None], scale: Axis | None) -> Axis | None:
    """The axis for figures of a unit: a fixed one, the question's scale, or one that covers all values.

    Scores start at 1, the worst, and weights at 0, the best; strengths are symmetric around 0.
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
    least = 0.0 if unit == "weight" else 1.0
    return (least, float(max(math.ceil(max(given)), least + 1)))
