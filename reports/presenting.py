"""From a report's figures to what its page prints: names, decimals, intervals, reasons.

Nothing is computed here. `reports.figures` prints one figure and `reports.tables` makes the tables; what a figure is
called and says stands in `agreement.catalogue`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agreement.catalogue import FIGURES, Figure
from annotation.models import Study
from annotation.questions import question_types
from reports.figures import Axis, Json, Shown, axis_around, shown
from reports.plots import DotPlot, Histogram, dot_plot, histogram
from reports.tables import Table, category_tables, dimensions_table, tables

OF_SYSTEMS = (
    "system_mean", "system_score", "system_win_or_tie_rate", "bradley_terry", "system_without_confirmed_span",
)  # fmt: skip
"""Figures with one number a system, in the order of their columns."""
DRAWN = ("bradley_terry", "system_score", "system_win_or_tie_rate", "system_without_confirmed_span", "system_mean")
BY_SYSTEM = (*OF_SYSTEMS, "aggregates")
METHODS = ("mean", "majority", "none")
ALPHAS = ("span_alpha", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_masi")
"""From the poorest level of measurement to the richest."""


@dataclass(frozen=True)
class Heading:
    """A column of the systems' table."""

    name: str
    figure: Figure


@dataclass(frozen=True)
class QuestionReport:
    """All that the page prints of one question."""

    key: str
    text: str
    level: str
    counts: list[Shown]
    agreement: list[Shown]
    histogram: Histogram | None
    local_n: int
    headings: list[Heading]
    systems: list[tuple[str, list[Shown]]]
    about_systems: list[str]
    replicates: int
    confidence: float | None
    dots: DotPlot | None = None
    dots_figure: Figure | None = None
    tables: list[Table] = field(default_factory=list)
    by_category: list[Table] = field(default_factory=list)


def question_report(key: str, text: str, report: Json, scale: Axis | None) -> QuestionReport:
    """What is printed of one question's figures (`agreement.report.describe` says their shape)."""
    flat = dict(_flat(report))
    undefined = report.get("undefined", {})
    named = [name for name in FIGURES if _is_one_figure(name, flat)]
    printed = [
        shown(name, FIGURES[name], flat[name], flat.get(f"{name}_ci"), undefined.get(name, ""), _axis(name, flat))
        for name in named
        if FIGURES[name].unit != "bins"
    ]
    local = report.get("local_alpha") or {}
    bins = local.get("histogram")
    headings, systems = _systems(report, undefined, scale)
    bootstrap = report.get("bootstrap", {})
    return QuestionReport(
        key=key,
        text=text,
        level=str(report.get("level", "")),
        counts=[one for one in printed if one.figure.unit == "count"],
        agreement=[one for one in printed if one.figure.unit != "count"],
        histogram=histogram(bins["edges"], bins["counts"]) if bins and sum(bins["counts"]) else None,
        local_n=local.get("n", 0),
        headings=headings,
        systems=systems,
        about_systems=sorted({reason for name, reason in undefined.items() if name in BY_SYSTEM}),
        replicates=bootstrap.get("replicates", 0),
        confidence=bootstrap.get("confidence"),
        dots=_dots(report, scale),
        dots_figure=FIGURES[_drawn(report)] if _drawn(report) else None,
        tables=tables(report),
        by_category=category_tables(report, scale),
    )


def _is_one_figure(name: str, flat: Json) -> bool:
    """Whether the report has it, and it is a number of its own: not a list, one a pair of raters, nor a table."""
    of_systems = name in OF_SYSTEMS or name.startswith("aggregates")
    return name in flat and not of_systems and FIGURES[name].unit not in ("kappa", "table")


def _flat(report: Json, prefix: str = "") -> list[tuple[str, Any]]:
    """Every figure under its dotted name."""
    found: list[tuple[str, Any]] = []
    for key, value in report.items():
        if isinstance(value, dict) and key not in ("histogram", "undefined", "bootstrap", "by_category"):
            found.extend(_flat(value, f"{prefix}{key}."))
        else:
            found.append((prefix + key, value))
    return found


def _axis(name: str, flat: Json) -> Axis | None:
    """That of the unit; of alphas 0 to 1, and from -1 where any alpha, or an end of an interval, is below 0."""
    if FIGURES[name].unit != "alpha":
        return axis_around(FIGURES[name].unit, [], None)
    ends = [flat[one] for one in flat if one in FIGURES and FIGURES[one].unit == "alpha"]
    for one in list(flat):
        interval = flat[one] if one.removesuffix("_ci") != one and one.removesuffix("_ci") in FIGURES else None
        ends.extend(interval or [])
    return (-1.0, 1.0) if any(isinstance(end, int | float) and end < 0 for end in ends) else (0.0, 1.0)


def _systems(
    report: Json, undefined: Mapping[str, str], scale: Axis | None
) -> tuple[list[Heading], list[tuple[str, list[Shown]]]]:
    """The columns of the systems' table and its rows, one a system, in the report's order."""
    aggregates = report.get("aggregates") or {}
    columns = [name for name in OF_SYSTEMS if report.get(name)]
    of_columns = (system for name in columns for system in report[name])
    names = list(dict.fromkeys([*of_columns, *(name for method in aggregates.values() for name in method)]))
    headings = [Heading(name, FIGURES[name]) for name in columns]
    for method in METHODS:
        if method in aggregates:
            headings += [
                Heading(f"aggregates.{method}.{kind}", FIGURES[f"aggregates.{method}.{kind}"])
                for kind in ("score", "rank")
            ]
    ranks: Axis | None = (1.0, float(len(names))) if len(names) > 1 else None
    axes = {name: axis_around(FIGURES[name].unit, _ends(report, name), scale) for name in columns}
    rows = []
    for system in names:
        cells = []
        for heading in headings:
            value, interval, dotted = _cell(report, heading.name, system)
            unit = heading.figure.unit
            axis = (
                axes[heading.name]
                if heading.name in axes
                else ranks
                if unit == "rank"
                else axis_around(unit, [], scale)
            )
            cells.append(shown(dotted, heading.figure, value, interval, undefined.get(dotted, ""), axis))
        rows.append((system, cells))
    return headings, rows


def _drawn(report: Json) -> str:
    """The figure of systems that is drawn: the one that says most of their order; "" where there is none."""
    return next((name for name in DRAWN if any(value is not None for value in (report.get(name) or {}).values())), "")


def _dots(report: Json, scale: Axis | None) -> DotPlot | None:
    name = _drawn(report)
    axis = axis_around(FIGURES[name].unit, _ends(report, name), scale) if name else None
    return dot_plot(report[name], report.get(f"{name}_ci") or {}, axis) if axis else None


def _ends(report: Json, name: str) -> list[float | None]:
    """All values of a figure of systems, and the ends of their intervals."""
    intervals = (report.get(f"{name}_ci") or {}).values()
    return [*report[name].values(), *(end for interval in intervals if interval for end in interval)]


def _cell(report: Json, name: str, system: str) -> tuple[Any, Sequence[float] | None, str]:
    """Value, interval and dotted name of one figure of one system."""
    if name in OF_SYSTEMS:
        intervals = report.get(f"{name}_ci") or {}
        return report[name].get(system), intervals.get(system), f"{name}.{system}"
    _, method, kind = name.split(".")
    row = report["aggregates"][method].get(system, {})
    return row.get(kind), row.get(f"{kind}_ci"), f"aggregates.{method}.{system}.{kind}"


def question_reports(study: Study, figures: Json) -> list[QuestionReport]:
    """What is printed of each question that has any rating, in the study's order."""
    types = question_types()
    return [
        question_report(
            question.key,
            question.text or question.key,
            figures["questions"][question.key],
            types[question.type].scale(question.spec),
        )
        for question in study.questions.order_by("position")
        if figures["questions"].get(question.key, {}).get("ratings")
    ]


def glances(study: Study, figures: Json) -> list[tuple[str, Shown]]:
    """For each question that measures something its text and its alpha, of the richest level that it has."""
    found = []
    for question in question_reports(study, figures):
        alphas = [one for one in question.agreement if one.name in ALPHAS]
        if alphas:
            found.append((question.text, max(alphas, key=lambda one: ALPHAS.index(one.name))))
    return found


def dimensions(study: Study, figures: Json) -> Table | None:
    """What is printed of the agreement between questions that rank the same outputs."""
    texts = {question.key: question.text or question.key for question in study.questions.all()}
    return dimensions_table(figures["dimensions"], texts)
