"""A single figure as a page prints it: with its decimals, its interval and its place on an axis, or a reason."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.catalogue.report_catalogue import Figure
from reports.pages.display.plots import IntervalBar, interval_bar

DECIMALS = {
    "count": 0, "share": 3, "alpha": 3, "scale": 2, "percent": 1, "rank": 2, "score": 2, "strength": 2, "weight": 2,
}  # fmt: skip
UNIT = (0.0, 1.0)
BOTH_WAYS = (-1.0, 1.0)
FIXED: Mapping[str, tuple[float, float]] = {
    "share": UNIT, "difference": BOTH_WAYS, "percent": (0.0, 100.0), "alpha": BOTH_WAYS, "kappa": BOTH_WAYS,
}  # fmt: skip
"""Axes that do not depend on the data: a figure of one kind has the same place on every page."""
SMALLEST_P = 0.0005

Json = Mapping[str, Any]
Axis = tuple[float, float]


@dataclass(frozen=True)
class PrintedFigure:
    """One figure as text: `value` and the ends of its `interval`, or the `reason` why it is undefined.

    `counts` is printed beside the value: what it is a share of, or another figure. `number` and `ends` are the value
    and the interval with all digits, for files and for the order of rows. `gap` says why there is no interval if the
    figure has one elsewhere. `address` is the page of what it counts.
    """

    name: str
    figure: Figure
    value: str
    interval: tuple[str, str] | None = None
    bar: IntervalBar | None = None
    reason: str = ""
    counts: str = ""
    number: float | None = None
    ends: tuple[float, float] | None = None
    gap: str = ""
    address: str = ""


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
    text, given = number(value, figure.unit), (float(interval[0]), float(interval[1])) if interval else None
    if figure.unit == "count" or (axis is None and given is None) or (interval is None and name.endswith(".se")):
        return PrintedFigure(name, figure, text, number=value)
    ends = (number(given[0], figure.unit), number(given[1], figure.unit)) if given else None
    bar = interval_bar(value, interval, axis) if axis else None
    return PrintedFigure(name, figure, text, ends, bar, number=value, ends=given)


def plain(
    figure: Figure, text: str, reason: str = "", counts: str = "", *, value: float | None = None
) -> PrintedFigure:
    """A figure whose text is known, and, if it is a number, its `value`."""
    return PrintedFigure("", figure, text, reason=reason, counts=counts, number=value)


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
