"""Draws plots as SVG, PNG and PDF with matplotlib. Workers and commands load this module; web processes must not.

The same plot gives the same bytes: no dates, a fixed salt for identifiers, and fonts that matplotlib brings along.
"""

import base64
import io
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from annotation.models import Study
from reports.pages.display.short_names import short_names

Json = Mapping[str, Any]
STYLE: Any = {
    "svg.hashsalt": "interrater", "svg.fonttype": "path", "pdf.fonttype": 42, "font.family": "DejaVu Sans",
    "font.size": 8.0, "axes.spines.top": False, "axes.spines.right": False, "axes.unicode_minus": True,
    "axes.edgecolor": "#666666", "lines.solid_capstyle": "butt", "text.parse_math": False, "path.sketch": None,
    "figure.dpi": 100.0,
}  # fmt: skip
METADATA: Mapping[str, Mapping[str, Any]] = {
    "svg": {"Date": None}, "png": {"Software": None}, "pdf": {"CreationDate": None, "ModDate": None},
}  # fmt: skip
INK, FILL, SOFT, BAND = "#111111", "#0b5f7a", "#cfcac0", "#ffecad"
PARTS = ("#0b5f7a", "#9cc9d6", "#f0ede6", "#d9a441", "#7a5600", "#57534c")
WIDTH, LINE, AROUND = 5.6, 0.2, 0.9
"""Inches: of a plot, of each of its lines, and of its title and axis."""
DOTS_PER_INCH = 300
WATERMARK = "Dry run"
for noisy in ("fontTools", "matplotlib"):
    logging.getLogger(noisy).setLevel(logging.WARNING)


def kept_plot(study: Study, choices: Json) -> dict[str, Any]:
    """The files of the plot that the choices describe: text of the SVG, the others in base64."""
    files = plot_files(choices, is_dry_run=study.is_dry_run)
    return {"svg": files["svg"].decode(), **{name: base64.b64encode(files[name]).decode() for name in ("png", "pdf")}}


def plot_files(plot: Json, *, is_dry_run: bool = False) -> dict[str, bytes]:
    """The plot in each format; `plot` is what `PlotData.as_choices` returns. That of a dry run has a watermark."""
    with rc_context(STYLE):
        figure = _figure(plot)
        if is_dry_run:
            figure.text(0.5, 0.5, WATERMARK, rotation=20, fontsize=32, color=INK, alpha=0.18, ha="center", va="center")
        return {ending: _saved(figure, ending) for ending in METADATA}


def _saved(figure: Figure, ending: str) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=ending, metadata=dict(METADATA[ending]), dpi=DOTS_PER_INCH, facecolor="white")
    return file.getvalue()


def _figure(plot: Json) -> Figure:
    kind, names = plot["kind"], list(dict.fromkeys(point["name"] for point in plot["points"]))
    height = {"histogram": 2.4, "calibration": 3.6}.get(kind, AROUND + LINE * max(len(names), 2))
    figure = Figure(figsize=(3.6 if kind == "calibration" else WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    DRAWN[kind](axes, plot, names)
    axes.set_title(plot["title"], loc="left", fontsize=9, fontweight="bold")
    return figure


def _dots(axes: Axes, plot: Json, names: Sequence[str]) -> None:
    """A line per name, the first at the top."""
    if plot["band"]:
        axes.axvspan(*plot["band"], color=BAND, zorder=0)
    for row, point in enumerate(plot["points"]):
        if point["low"] is not None:
            axes.plot([point["low"], point["high"]], [row, row], color=FILL, linewidth=3, alpha=0.5, zorder=2)
        axes.plot(point["value"], row, "o", color=INK, markersize=4, zorder=3)
    _lines(axes, names)
    axes.set_xlim(*plot["axis"])
    axes.grid(axis="x", color=SOFT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(plot["axis_title"])


def _histogram(axes: Axes, plot: Json, names: Sequence[str]) -> None:
    points = plot["points"]
    widths = [point["high"] - point["low"] for point in points]
    bars = axes.bar(
        [point["low"] for point in points], [point["value"] for point in points], widths, align="edge", color=FILL,
        edgecolor="white", linewidth=0.8,
    )  # fmt: skip
    axes.bar_label(bars, [f"{point['value']:.0f}" if point["value"] else "" for point in points], fontsize=7)
    axes.set_xlim(*plot["axis"])
    axes.set_ylim(bottom=0)
    axes.set_xlabel(plot["axis_title"])
    axes.set_ylabel("items")


def _bars(axes: Axes, plot: Json, names: Sequence[str]) -> None:
    """A bar per name, filled by its parts one after the other."""
    parts = list(dict.fromkeys(point["part"] for point in plot["points"]))
    start = dict.fromkeys(names, 0.0)
    for number, part in enumerate(parts):
        own = {point["name"]: point["value"] or 0.0 for point in plot["points"] if point["part"] == part}
        axes.barh(
            [names.index(name) for name in own], list(own.values()), left=[start[name] for name in own], height=0.7,
            color=PARTS[number % len(PARTS)], edgecolor=FILL, linewidth=0.6, label=part or "all",
        )  # fmt: skip
        for name, value in own.items():
            start[name] += value
    _lines(axes, names)
    axes.set_xlim(*plot["axis"])
    axes.set_xlabel(plot["axis_title"])
    axes.figure.legend(loc="outside lower center", ncols=len(parts), frameon=False, fontsize=7)


def _calibration(axes: Axes, plot: Json, names: Sequence[str]) -> None:
    axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle="--")
    for point in plot["points"]:
        if point["low"] is not None:
            axes.plot([point["at"]] * 2, [point["low"], point["high"]], color=FILL, linewidth=2, alpha=0.6)
        axes.plot(point["at"], point["value"], "o", color=INK, markersize=4)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.grid(color=SOFT, linewidth=0.6)
    axes.set_xlabel("probability by the judge")
    axes.set_ylabel("share of people")


def _lines(axes: Axes, names: Sequence[str]) -> None:
    labels = short_names(names)
    axes.set_yticks(range(len(names)), [labels[name] for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


DRAWN: Mapping[str, Callable[[Axes, Json, Sequence[str]], None]] = {
    "dots": _dots, "histogram": _histogram, "bars": _bars, "calibration": _calibration,
}  # fmt: skip
