"""From a report's figures to what its page prints: names, decimals, intervals, reasons.

Nothing is computed here. What a figure is called and says stands in `agreement.catalogue`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.catalogue import FIGURES, Figure
from annotation.models import Study
from annotation.questions import question_types
from reports.plots import Histogram, IntervalBar, histogram, interval_bar

DECIMALS = {"count": 0, "share": 3, "alpha": 3, "scale": 2, "percent": 1, "rank": 2}
BY_SYSTEM = ("system_mean", "aggregates")
METHODS = ("mean", "majority", "none")
ALPHAS = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
"""From the poorest level of measurement to the richest."""

Json = Mapping[str, Any]
Axis = tuple[float, float]


@dataclass(frozen=True)
class Shown:
    """One figure as printed: `value` and `interval` in words of digits; `reason` where it is undefined."""

    name: str
    figure: Figure
    value: str
    interval: tuple[str, str] | None = None
    bar: IntervalBar | None = None
    reason: str = ""


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


def number(value: Any, unit: str) -> str:
    """`value` with the decimals of its unit; a minus that is one."""
    return f"{value:.{DECIMALS.get(unit, 3)}f}".replace("-", "\N{MINUS SIGN}")


def question_report(key: str, text: str, report: Json, scale: Axis | None) -> QuestionReport:
    """What is printed of one question's figures (`agreement.report.describe` says their shape)."""
    flat = dict(_flat(report))
    undefined = report.get("undefined", {})
    named = [name for name in FIGURES if _is_one_figure(name, flat) and not name.startswith(BY_SYSTEM)]
    shown = [
        _shown(name, FIGURES[name], flat[name], flat.get(f"{name}_ci"), undefined.get(name, ""), _axis(name, flat))
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
        counts=[one for one in shown if one.figure.unit == "count"],
        agreement=[one for one in shown if one.figure.unit != "count"],
        histogram=histogram(bins["edges"], bins["counts"]) if bins and sum(bins["counts"]) else None,
        local_n=local.get("n", 0),
        headings=headings,
        systems=systems,
        about_systems=sorted({reason for name, reason in undefined.items() if name in BY_SYSTEM}),
        replicates=bootstrap.get("replicates", 0),
        confidence=bootstrap.get("confidence"),
    )


def _is_one_figure(name: str, flat: Json) -> bool:
    """Whether the report has it, and it is a number of its own: not a list, one a pair of raters, nor a table."""
    return name in flat and FIGURES[name].unit not in ("kappa", "table")


def _flat(report: Json, prefix: str = "") -> list[tuple[str, Any]]:
    """Every figure under its dotted name."""
    found: list[tuple[str, Any]] = []
    for key, value in report.items():
        if isinstance(value, dict) and key not in ("histogram", "undefined", "bootstrap"):
            found.extend(_flat(value, f"{prefix}{key}."))
        else:
            found.append((prefix + key, value))
    return found


def _axis(name: str, flat: Json) -> Axis:
    """0 to 1, and from -1 where any alpha of the report, or an end of an interval, is below 0."""
    if FIGURES[name].unit != "alpha":
        return (0.0, 1.0)
    ends = [flat[one] for one in flat if one in FIGURES and FIGURES[one].unit == "alpha"]
    for one in list(flat):
        interval = flat[one] if one.removesuffix("_ci") != one and one.removesuffix("_ci") in FIGURES else None
        ends.extend(interval or [])
    return (-1.0, 1.0) if any(isinstance(end, int | float) and end < 0 for end in ends) else (0.0, 1.0)


def _shown(
    name: str, figure: Figure, value: Any, interval: Sequence[float] | None, reason: str, axis: Axis | None
) -> Shown:
    if value is None:
        return Shown(name, figure, "", reason=reason or "no reason was given")
    if figure.unit == "count" or axis is None or (interval is None and name.endswith(".se")):
        return Shown(name, figure, number(value, figure.unit))
    ends = (number(interval[0], figure.unit), number(interval[1], figure.unit)) if interval else None
    return Shown(name, figure, number(value, figure.unit), ends, interval_bar(value, interval, axis))


def _systems(
    report: Json, undefined: Mapping[str, str], scale: Axis | None
) -> tuple[list[Heading], list[tuple[str, list[Shown]]]]:
    """The columns of the systems' table and its rows, one a system, in the report's order."""
    means, aggregates = report.get("system_mean") or {}, report.get("aggregates") or {}
    names = list(dict.fromkeys([*means, *(name for method in aggregates.values() for name in method)]))
    headings = [Heading("system_mean", FIGURES["system_mean"])] if means else []
    for method in METHODS:
        if method in aggregates:
            headings += [
                Heading(f"aggregates.{method}.{kind}", FIGURES[f"aggregates.{method}.{kind}"])
                for kind in ("score", "rank")
            ]
    ranks: Axis | None = (1.0, float(len(names))) if len(names) > 1 else None
    axes = {"scale": scale, "percent": (0.0, 100.0), "rank": ranks}
    rows = []
    for system in names:
        cells = []
        for heading in headings:
            value, interval, dotted = _cell(report, heading.name, system)
            axis = axes.get(heading.figure.unit)
            cells.append(_shown(dotted, heading.figure, value, interval, undefined.get(dotted, ""), axis))
        rows.append((system, cells))
    return headings, rows


def _cell(report: Json, name: str, system: str) -> tuple[Any, Sequence[float] | None, str]:
    """Value, interval and dotted name of one figure of one system."""
    if name == "system_mean":
        intervals = report.get("system_mean_ci") or {}
        return report["system_mean"].get(system), intervals.get(system), f"{name}.{system}"
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
        alphas = [shown for shown in question.agreement if shown.name in ALPHAS]
        if alphas:
            found.append((question.text, max(alphas, key=lambda shown: ALPHAS.index(shown.name))))
    return found
