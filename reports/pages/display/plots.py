"""Positions in drawings, in the units of their view boxes; the drawings themselves are templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reports.pages.display.short_names import short_names

BAR_WIDTH = 120.0
CHART_WIDTH, CHART_HEIGHT = 640.0, 180.0
ROW_HEIGHT, LABELS_WIDTH = 26.0, 230.0
MARGIN_LEFT, MARGIN_TOP, MARGIN_BOTTOM = 34.0, 16.0, 34.0
NARROW_WIDTH, NARROW_MARGIN, NARROW_ROW = 320.0, 12.0, 36.0
CALIBRATION_SIDE, CALIBRATION_LEFT = 240.0, 52.0


@dataclass(frozen=True)
class IntervalBar:
    """An estimate and its interval on an axis of `BAR_WIDTH`; `zero` is the position of 0 if it is inside `axis`."""

    point: float
    start: float | None
    width: float
    zero: float | None
    axis: tuple[float, float]

    @property
    def low(self) -> str:
        """The label of the axis's left end."""
        return tick_label(self.axis[0])

    @property
    def high(self) -> str:
        return tick_label(self.axis[1])


@dataclass(frozen=True)
class HistogramColumn:
    """One bin of a histogram: its rectangle, its count, its edges, the position of its label and its items' page."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    count: int
    low: str
    high: str
    address: str = ""


@dataclass(frozen=True)
class Histogram:
    """Columns on a zero baseline, with ticks (x, label) below."""

    columns: list[HistogramColumn]
    ticks: list[tuple[float, str]]
    width: float = CHART_WIDTH
    height: float = CHART_HEIGHT
    left: float = MARGIN_LEFT
    right: float = CHART_WIDTH - MARGIN_LEFT
    base: float = CHART_HEIGHT - MARGIN_BOTTOM
    tick_text: float = CHART_HEIGHT - MARGIN_BOTTOM + 16
    axis_text: float = CHART_HEIGHT - 4


@dataclass(frozen=True)
class Dot:
    """One line of a dot plot: its name, in full and as a short label, its position and its interval."""

    name: str
    label: str
    y: float
    x: float
    start: float | None
    width: float
    value: float


@dataclass(frozen=True)
class DotPlot:
    """Estimates with their intervals on one axis, the highest at the top, with ticks (x, label) below.

    `band` (x, width) is a region of the axis that is marked in the whole drawing.
    """

    dots: list[Dot]
    ticks: list[tuple[float, str]]
    height: float
    base: float
    width: float = CHART_WIDTH
    left: float = LABELS_WIDTH
    right: float = CHART_WIDTH - MARGIN_LEFT
    labels: float = LABELS_WIDTH - 12
    band: tuple[float, float] | None = None

    @property
    def narrow(self) -> "DotPlot":
        """The same drawing for a narrow screen: the name of each line is above its interval."""
        share = (NARROW_WIDTH - 2 * NARROW_MARGIN) / (self.right - self.left)

        def place(x: float) -> float:
            return round(NARROW_MARGIN + (x - self.left) * share, 2)

        dots = [
            replace(
                dot,
                y=MARGIN_TOP + NARROW_ROW * (row + 0.75),
                x=place(dot.x),
                start=None if dot.start is None else place(dot.start),
                width=round(dot.width * share, 2),
            )
            for row, dot in enumerate(self.dots)
        ]
        base = MARGIN_TOP + NARROW_ROW * len(dots)
        return replace(
            self,
            dots=dots,
            ticks=[(place(x), label) for x, label in self.ticks],
            height=base + MARGIN_BOTTOM,
            base=base,
            width=NARROW_WIDTH,
            left=NARROW_MARGIN,
            right=NARROW_WIDTH - NARROW_MARGIN,
            labels=0.0,
            band=(place(self.band[0]), round(self.band[1] * share, 2)) if self.band else None,
        )


@dataclass(frozen=True)
class CalibrationDot:
    """One bin of a calibration plot: the place of its mean, and the ends of its interval."""

    x: float
    y: float
    top: float | None
    bottom: float | None


@dataclass(frozen=True)
class CalibrationPlot:
    """Mean shares of people by mean probabilities of a judge, both axes from 0 to 1, with ticks (place, label)."""

    dots: list[CalibrationDot]
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    left: float = CALIBRATION_LEFT
    right: float = CALIBRATION_LEFT + CALIBRATION_SIDE
    top: float = MARGIN_TOP
    base: float = MARGIN_TOP + CALIBRATION_SIDE
    middle: float = CALIBRATION_LEFT + CALIBRATION_SIDE / 2
    halfway: float = MARGIN_TOP + CALIBRATION_SIDE / 2
    width: float = CALIBRATION_LEFT + CALIBRATION_SIDE + MARGIN_TOP
    height: float = MARGIN_TOP + CALIBRATION_SIDE + 44.0


def calibration_plot(bins: Sequence[tuple[float, float, Sequence[float] | None]]) -> CalibrationPlot:
    """The plot of bins (probability, share, interval of the share), all in 0..1."""

    def across(value: float) -> float:
        return round(CALIBRATION_LEFT + CALIBRATION_SIDE * value, 2)

    def up(value: float) -> float:
        return round(MARGIN_TOP + CALIBRATION_SIDE * (1 - value), 2)

    marks = [number / 5 for number in range(6)]
    return CalibrationPlot(
        dots=[
            CalibrationDot(across(p), up(share), up(ends[1]) if ends else None, up(ends[0]) if ends else None)
            for p, share, ends in bins
        ],
        across=[(across(mark), tick_label(mark)) for mark in marks],
        up=[(up(mark), tick_label(mark)) for mark in marks],
    )


def interval_bar(value: float, interval: Sequence[float] | None, axis: tuple[float, float]) -> IntervalBar:
    """The positions of `value` and its interval on `axis` (low < high), limited to its ends."""

    def place(number: float) -> float:
        low, high = axis
        return round(BAR_WIDTH * min(1.0, max(0.0, (number - low) / (high - low))), 2)

    start = place(interval[0]) if interval else None
    width = round(place(interval[1]) - place(interval[0]), 2) if interval else 0.0
    zero = place(0.0) if axis[0] < 0 < axis[1] else None
    return IntervalBar(place(value), start, width, zero, axis)


def histogram(edges: Sequence[float], counts: Sequence[int]) -> Histogram:
    """Columns for `counts` between `edges` (one more), with a tick at every fifth edge."""
    most, step = max([1, *counts]), (CHART_WIDTH - 2 * MARGIN_LEFT) / max(1, len(counts))
    base = CHART_HEIGHT - MARGIN_BOTTOM
    columns = []
    for place, count in enumerate(counts):
        x, height = MARGIN_LEFT + place * step, (base - MARGIN_TOP) * count / most
        columns.append(
            HistogramColumn(
                x=round(x + 1, 2),
                y=round(base - height, 2),
                width=round(step - 2, 2),
                height=round(height, 2),
                middle=round(x + step / 2, 2),
                count=count,
                low=tick_label(edges[place]),
                high=tick_label(edges[place + 1]),
            )
        )
    ticks = [(round(MARGIN_LEFT + place * step, 2), tick_label(edges[place])) for place in range(0, len(edges), 5)]
    return Histogram(columns, ticks)


def dot_plot(
    values: Mapping[str, float | None],
    intervals: Mapping[str, Sequence[float] | None],
    axis: tuple[float, float],
    band: Sequence[float] | None = None,
) -> DotPlot:
    """A line for each name with a value, on `axis` (low < high), limited to its ends; `band` is (low, high)."""
    given = sorted(((value, name) for name, value in values.items() if value is not None), key=lambda one: -one[0])
    dots, labels = [], short_names(name for _, name in given)
    for row, (value, name) in enumerate(given):
        interval = intervals.get(name)
        ends = [place_on_axis(end, axis) for end in interval] if interval else []
        start, width = (ends[0], round(ends[1] - ends[0], 2)) if ends else (None, 0.0)
        y, x = MARGIN_TOP + ROW_HEIGHT * (row + 0.5), place_on_axis(value, axis)
        dots.append(Dot(name, labels[name], y, x, start, width, value))
    base = MARGIN_TOP + ROW_HEIGHT * len(dots)
    ends = [place_on_axis(end, axis) for end in band] if band else []
    marked = (ends[0], round(ends[1] - ends[0], 2)) if ends else None
    return DotPlot(dots, axis_ticks(axis), base + MARGIN_BOTTOM, base, band=marked)


def place_on_axis(number: float, axis: tuple[float, float]) -> float:
    """The position of a number right of the labels, on `axis` (low < high), limited to its ends."""
    low, high = axis
    share = min(1.0, max(0.0, (number - low) / (high - low)))
    return round(LABELS_WIDTH + (CHART_WIDTH - MARGIN_LEFT - LABELS_WIDTH) * share, 2)


def axis_ticks(axis: tuple[float, float]) -> list[tuple[float, str]]:
    """Five ticks (x, label) from one end of `axis` to the other."""
    low, high = axis
    marks = [low + (high - low) * part / 4 for part in range(5)]
    return [(place_on_axis(mark, axis), tick_label(mark)) for mark in marks]


def tick_label(value: float) -> str:
    """A number on an axis, with a true minus sign."""
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")
