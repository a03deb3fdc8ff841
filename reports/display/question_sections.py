"""The section of a report's page about one question: counts, agreement, drawings, systems and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agreement.catalogue import FIGURES, Figure
from annotation.models import Study
from annotation.questions import question_types
from reports.display.plots import DotPlot, Histogram, dot_plot, histogram
from reports.display.printed_figures import Axis, Json, PrintedFigure, axis_around, printed
from reports.display.question_tables import category_tables, dimensions_table, question_tables
from reports.display.tables import Table

OF_SYSTEMS = (
    "system_mean", "system_score", "system_win_or_tie_rate", "bradley_terry", "system_without_confirmed_span",
    "system_severity", "system_severity_per_100_words", "system_best_worst", "system_best_share", "system_worst_share",
)  # fmt: skip
"""Figures with one number per system, in the order of their columns."""
DRAWN = (
    "bradley_terry", "system_score", "system_win_or_tie_rate", "system_severity", "system_without_confirmed_span",
    "system_mean", "system_best_worst",
)  # fmt: skip
"""The figures of systems that can be drawn; of several in a report, the first."""
BY_SYSTEM = (*OF_SYSTEMS, "aggregates")
METHODS = ("mean", "majority", "none")
ALPHAS = ("span_alpha", "alpha_nominal", "alpha_ordinal", "alpha_interval", "alpha_implied_pairs", "alpha_masi")
"""From the lowest level of measurement to the highest."""


@dataclass(frozen=True)
class SystemColumn:
    """A column of the systems' table."""

    name: str
    figure: Figure


@dataclass(frozen=True)
class QuestionSection:
    """Everything that the page prints about one question."""

    key: str
    text: str
    level: str
    counts: list[PrintedFigure]
    agreement: list[PrintedFigure]
    histogram: Histogram | None
    local_n: int
    headings: list[SystemColumn]
    systems: list[tuple[str, list[PrintedFigure]]]
    about_systems: list[str]
    replicates: int
    confidence: float | None
    dots: DotPlot | None = None
    dots_figure: Figure | None = None
    tables: list[Table] = field(default_factory=list)
    by_category: list[Table] = field(default_factory=list)


def question_section(key: str, text: str, report: Json, scale: Axis | None) -> QuestionSection:
    """The section for one question's figures, which `agreement.question_report` and its like describe."""
    flat = dict(_flat(report))
    undefined = report.get("undefined", {})
    figures = [
        printed(name, FIGURES[name], flat[name], flat.get(f"{name}_ci"), undefined.get(name, ""), _axis(name, flat))
        for name in FIGURES
        if _is_one_figure(name, flat) and FIGURES[name].unit != "bins"
    ]
    local = report.get("local_alpha") or {}
    bins = local.get("histogram")
    headings, systems = _systems(report, undefined, scale)
    bootstrap, drawn = report.get("bootstrap", {}), _drawn(report)
    return QuestionSection(
        key=key,
        text=text,
        level=str(report.get("level", "")),
        counts=[one for one in figures if one.figure.unit == "count"],
        agreement=[one for one in figures if one.figure.unit != "count"],
        histogram=histogram(bins["edges"], bins["counts"]) if bins and sum(bins["counts"]) else None,
        local_n=local.get("n", 0),
        headings=headings,
        systems=systems,
        about_systems=sorted({reason for name, reason in undefined.items() if name in BY_SYSTEM}),
        replicates=bootstrap.get("replicates", 0),
        confidence=bootstrap.get("confidence"),
        dots=_dots(report, scale),
        dots_figure=FIGURES[drawn] if drawn else None,
        tables=question_tables(report),
        by_category=category_tables(report, scale),
    )


def _is_one_figure(name: str, flat: Json) -> bool:
    """Whether the report has this figure as a single number, and not per system, per pair of raters or as a table."""
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
    """The unit's axis; for alphas 0 to 1, or -1 to 1 if any alpha or end of an interval is below 0."""
    if FIGURES[name].unit != "alpha":
        return axis_around(FIGURES[name].unit, [], None)
    ends = [flat[one] for one in flat if one in FIGURES and FIGURES[one].unit == "alpha"]
    for one in list(flat):
        interval = flat[one] if one.removesuffix("_ci") != one and one.removesuffix("_ci") in FIGURES else None
        ends.extend(interval or [])
    return (-1.0, 1.0) if any(isinstance(end, int | float) and end < 0 for end in ends) else (0.0, 1.0)


def _systems(
    report: Json, undefined: Mapping[str, str], scale: Axis | None
) -> tuple[list[SystemColumn], list[tuple[str, list[PrintedFigure]]]]:
    """The columns of the systems' table and its rows, one per system, in the report's order."""
    aggregates = report.get("aggregates") or {}
    columns = [name for name in OF_SYSTEMS if report.get(name)]
    of_columns = (system for name in columns for system in report[name])
    names = list(dict.fromkeys([*of_columns, *(name for method in aggregates.values() for name in method)]))
    dotted = [f"aggregates.{method}.{kind}" for method in METHODS if method in aggregates for kind in ("score", "rank")]
    headings = [SystemColumn(name, FIGURES[name]) for name in (*columns, *dotted)]
    ranks: Axis | None = (1.0, float(len(names))) if len(names) > 1 else None
    axes = {
        heading.name: ranks
        if heading.figure.unit == "rank"
        else axis_around(heading.figure.unit, _ends(report, heading.name), scale)
        for heading in headings
    }
    rows = []
    for system in names:
        cells = []
        for heading in headings:
            value, interval, name = _cell(report, heading.name, system)
            reason = undefined.get(name, "")
            cells.append(printed(name, heading.figure, value, interval, reason, axes[heading.name]))
        rows.append((system, cells))
    return headings, rows


def _drawn(report: Json) -> str:
    """The figure of systems to draw; "" if there is none."""
    return next((name for name in DRAWN if any(value is not None for value in (report.get(name) or {}).values())), "")


def _dots(report: Json, scale: Axis | None) -> DotPlot | None:
    name = _drawn(report)
    axis = axis_around(FIGURES[name].unit, _ends(report, name), scale) if name else None
    return dot_plot(report[name], report.get(f"{name}_ci") or {}, axis) if axis else None


def _ends(report: Json, name: str) -> list[float | None]:
    """All values of a figure of systems and the ends of their intervals; none for aggregates, whose axes are fixed."""
    if name not in OF_SYSTEMS:
        return []
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


def question_sections(study: Study, figures: Json) -> list[QuestionSection]:
    """The sections of all questions with a rating, in the study's order."""
    types = question_types()
    return [
        question_section(
            question.key,
            question.text or question.key,
            figures["questions"][question.key],
            types[question.type].scale(question.spec),
        )
        for question in study.questions.order_by("position")
        if figures["questions"].get(question.key, {}).get("ratings")
    ]


def glances(study: Study, figures: Json) -> list[tuple[str, PrintedFigure]]:
    """The text of each question with an alpha, and its alpha of the highest level of measurement."""
    found = []
    for section in question_sections(study, figures):
        alphas = [one for one in section.agreement if one.name in ALPHAS]
        if alphas:
            found.append((section.text, max(alphas, key=lambda one: ALPHAS.index(one.name))))
    return found


def dimensions(study: Study, figures: Json) -> Table | None:
    """The table of agreement between questions that rank the same outputs."""
    texts = {question.key: question.text or question.key for question in study.questions.all()}
    return dimensions_table(figures["dimensions"], texts)
