"""The drawings of a report's table: a line per row, with dots and intervals or with bars, on one fixed axis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.pages.display.plot_data import PlotData, PlotKind, PlotPoint
from reports.pages.display.plots import (
    CHART_WIDTH,
    LABELS_WIDTH,
    MARGIN_BOTTOM,
    MARGIN_TOP,
    ROW_HEIGHT,
    DotPlot,
    axis_ticks,
    dot_plot,
    place_on_axis,
)
from reports.pages.display.short_names import short_names
from reports.pages.display.table_formats import parts_of

Json = Mapping[str, Any]
MOST_LINES = 40
"""A drawing shows the first rows of its part."""
CLASSES = ("good", "neutral", "bad")
"""How bars one after the other are filled, as styles name it."""


@dataclass(frozen=True)
class BarPiece:
    """A column's share of a line."""

    name: str
    x: float
    width: float


@dataclass(frozen=True)
class BarLine:
    """A row: its name, in full and as a short label, its position and its bars."""

    name: str
    label: str
    y: float
    middle: float
    pieces: list[BarPiece]


@dataclass(frozen=True)
class LinesOfBars:
    """Rows of bars on one axis, with ticks (x, label) below."""

    lines: list[BarLine]
    ticks: list[tuple[float, str]]
    height: float
    base: float
    width: float = CHART_WIDTH
    labels: float = LABELS_WIDTH - 12
    bar: float = ROW_HEIGHT - 8


@dataclass(frozen=True)
class DrawnTable:
    """A drawing of a part of a table: `title` names the part and what is drawn, `axis` says what the numbers are."""

    title: str
    axis: str
    data: PlotData
    dots: DotPlot | None = None
    bars: LinesOfBars | None = None


def drawings_of(key: str, table: Json) -> list[DrawnTable]:
    """The drawings of a table, none if it has no numbers to draw; `key` names the table in addresses."""
    drawing = table.get("drawing")
    if not drawing:
        return []
    ends = float(drawing["low"]), float(drawing["high"])
    titles = {column["key"]: column["title"] for column in table["columns"]}
    found: list[DrawnTable] = []
    for part, rows in parts_of(table["rows"]):
        shown = rows[:MOST_LINES]
        if drawing["kind"] == "bars":
            bars = _bars(shown, drawing["columns"], ends)
            if bars.lines:
                points = _bar_points(shown, drawing, titles)
                data = _data(f"{key}-{len(found) + 1}", (table["title"], part), drawing, points)
                found.append(DrawnTable(part, drawing["axis"], data, bars=bars))
            continue
        for column in drawing["columns"]:
            plot, title = _dots(shown, column, ends), ": ".join(filter(None, (part, titles[column])))
            if plot.dots:
                data = _data(f"{key}-{len(found) + 1}", (table["title"], title), drawing, _dot_points(shown, column))
                found.append(DrawnTable(title, drawing["axis"], data, dots=plot))
    return found


def _data(key: str, titles: Sequence[str], drawing: Json, points: Iterable[PlotPoint]) -> PlotData:
    """The same drawing for files, which say which table it is of."""
    kind: PlotKind = "bars" if drawing["kind"] == "bars" else "dots"
    axis = (float(drawing["low"]), float(drawing["high"]))
    return PlotData(key, kind, ", ".join(filter(None, titles)), drawing["axis"], axis, tuple(points))


def _dot_points(rows: Sequence[Json], column: str) -> Iterator[PlotPoint]:
    for row in rows:
        cell = row["cells"][column]
        if _is_number(cell):
            yield PlotPoint(row["name"], float(cell["value"]), cell.get("low"), cell.get("high"))


def _bar_points(rows: Sequence[Json], drawing: Json, titles: Mapping[str, str]) -> Iterator[PlotPoint]:
    for row in rows:
        cells = {column: row["cells"][column] for column in drawing["columns"]}
        if all(map(_is_number, cells.values())):
            for column, cell in cells.items():
                yield PlotPoint(row["name"], float(cell["value"]), part=titles[column])


def _dots(rows: Sequence[Json], key: str, ends: tuple[float, float]) -> DotPlot:
    """The cells of one column, those with a number."""
    cells = {row["name"]: row["cells"][key] for row in rows if _is_number(row["cells"][key])}
    values = {name: float(cell["value"]) for name, cell in cells.items()}
    intervals = {name: (cell["low"], cell["high"]) for name, cell in cells.items() if "low" in cell}
    return dot_plot(values, intervals, ends)


def _bars(rows: Sequence[Json], keys: Sequence[str], ends: tuple[float, float]) -> LinesOfBars:
    """The cells of several columns one after the other, for rows that have all of them."""
    lines: list[BarLine] = []
    labels = short_names(row["name"] for row in rows)
    for row in rows:
        cells = [row["cells"][key] for key in keys]
        if not all(map(_is_number, cells)):
            continue
        y = MARGIN_TOP + ROW_HEIGHT * len(lines)
        lines.append(BarLine(row["name"], labels[row["name"]], y, y + ROW_HEIGHT / 2 - 4, _pieces(cells, ends)))
    base = MARGIN_TOP + ROW_HEIGHT * len(lines)
    return LinesOfBars(lines, axis_ticks(ends), base + MARGIN_BOTTOM, base)


def _pieces(cells: Sequence[Json], ends: tuple[float, float]) -> list[BarPiece]:
    pieces, start = [], ends[0]
    for name, cell in zip(CLASSES, cells, strict=False):
        x, end = place_on_axis(start, ends), place_on_axis(start + cell["value"], ends)
        pieces.append(BarPiece(name, x, round(end - x, 2)))
        start += cell["value"]
    return pieces


def _is_number(cell: Json) -> bool:
    return isinstance(cell["value"], (int, float))
