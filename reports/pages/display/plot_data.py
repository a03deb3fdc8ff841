"""What a plot shows, once: pages draw it in HTML, workers draw files from it, and programs read it as CSV or JSON."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from reports.pages.display.plots import DotPlot, Histogram, dot_plot, histogram, tick_label
from reports.pages.display.table_formats import plain_text

PlotKind = Literal["dots", "histogram", "bars", "calibration"]
TO = " to "


@dataclass(frozen=True)
class PlotPoint:
    """A value with its name, and its interval if it has one; `part` is the part of a bar, `n` what a share is of.

    In a histogram `value` is a count and `low` and `high` are the edges of its bin; in a calibration plot `at` is the
    place on the other axis.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    part: str = ""
    at: float | None = None
    n: int | None = None


@dataclass(frozen=True)
class PlotData:
    """A plot: `axis` are the ends of its axis of values, `axis_title` says what they are, `band` is marked on it."""

    key: str
    kind: PlotKind
    title: str
    axis_title: str
    axis: tuple[float, float]
    points: tuple[PlotPoint, ...]
    band: tuple[float, float] | None = None

    def as_choices(self) -> dict[str, Any]:
        """The plot as plain JSON values."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found

    def as_json(self) -> str:
        return json.dumps(self.as_choices(), ensure_ascii=False, indent=1) + "\n"

    def as_csv(self) -> str:
        """A line per point, with the columns that any point has; no text begins a formula."""
        points = [asdict(point) for point in self.points]
        columns = [name for name in points[0] if any(one[name] not in (None, "") for one in points)] if points else []
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([[plain_text(one[name]) for name in columns] for one in points])
        return written.getvalue()

    def dot_plot(self) -> DotPlot:
        """The drawing of dots for a page."""
        values = {point.name: point.value for point in self.points}
        intervals = {
            point.name: (point.low, point.high)
            for point in self.points
            if point.low is not None and point.high is not None
        }
        return dot_plot(values, intervals, self.axis, self.band)

    def histogram(self) -> Histogram:
        """The drawing of a histogram for a page."""
        edges = [point.low or 0.0 for point in self.points] + [self.points[-1].high or 0.0]
        return histogram(edges, [int(point.value) for point in self.points])


def dot_data(
    key: str,
    title: str,
    axis_title: str,
    values: Mapping[str, float | None],
    intervals: Mapping[str, Sequence[float] | None],
    axis: tuple[float, float],
    band: Sequence[float] | None = None,
) -> PlotData:
    """A dot for each name with a value, the highest first."""
    given = sorted(((value, name) for name, value in values.items() if value is not None), key=lambda one: -one[0])
    points = []
    for value, name in given:
        ends = intervals.get(name)
        points.append(PlotPoint(name, value, ends[0] if ends else None, ends[1] if ends else None))
    return PlotData(key, "dots", title, axis_title, axis, tuple(points), (band[0], band[1]) if band else None)


def histogram_data(key: str, title: str, axis_title: str, edges: Sequence[float], counts: Sequence[int]) -> PlotData:
    """A bar for each bin."""
    points = [
        PlotPoint(f"{tick_label(low)}{TO}{tick_label(high)}", count, low, high)
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    return PlotData(key, "histogram", title, axis_title, (edges[0], edges[-1]), tuple(points))


def bar_data(key: str, title: str, bars: Sequence[tuple[str, Mapping[str, float], int]]) -> PlotData:
    """Bars of shares (name, share of each part, n), each from 0 to 1."""
    points = [PlotPoint(name, share, part=part, n=n) for name, shares, n in bars for part, share in shares.items()]
    return PlotData(key, "bars", title, "share", (0.0, 1.0), tuple(points))
