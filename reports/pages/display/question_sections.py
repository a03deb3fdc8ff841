"""The section of a report's page about one question: counts, agreement, drawings, systems and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.text import slugify

from agreement.catalogue.report_catalogue import FIGURES, Figure
from agreement.catalogue.table_catalogue import COLUMNS
from annotation.models import Study
from annotation.questions import question_types
from reports.pages.display.plot_data import PlotData, dot_data, histogram_data
from reports.pages.display.plots import DotPlot, Histogram
from reports.pages.display.printed_figures import FIXED, Axis, Json, PrintedFigure, axis_around, plain, printed
from reports.pages.display.question_details import PrintedDetails
from reports.pages.display.question_tables import category_tables, dimensions_table, question_tables
from reports.pages.display.row_order import Sorting
from reports.pages.display.tables import Table

OF_SYSTEMS = (
    "system_mean", "system_score", "system_win_or_tie_rate", "bradley_terry", "system_without_confirmed_span",
    "system_error_free_least", "system_error_free_most", "system_undecided", "system_severity",
    "system_severity_per_100_words", "system_best_worst", "system_best_share", "system_worst_share",
)  # fmt: skip
"""Figures with one number per system, in the order of their columns."""
OF_UNDECIDED = ("system_error_free_least", "system_error_free_most", "system_undecided")
"""Those that say more only if outputs are undecided."""
DRAWN = (
    "bradley_terry", "system_score", "system_win_or_tie_rate", "system_severity", "system_without_confirmed_span",
    "system_mean", "system_best_worst",
)  # fmt: skip
"""The figures of systems that can be drawn; of several in a report, the first."""
BY_SYSTEM = (*OF_SYSTEMS, "aggregates")
METHODS = ("mean", "majority", "none")
ALPHAS = ("span_alpha", "alpha_nominal", "alpha_ordinal", "alpha_interval", "split_half", "alpha_masi")
"""From the lowest level of measurement to the highest."""


AGREEMENT = Figure("Agreement", "", "table", "higher", "", "Figure")
ITEMS = COLUMNS["systems.items"]
NOT_COUNTED = "\N{EN DASH}"
SYSTEMS = Figure("Systems", "", "table", "higher", "", "System")


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
    details: PrintedDetails | None = None
    undefined: list[PrintedFigure] = field(default_factory=list)
    plots: list[PlotData] = field(default_factory=list)
    prefix: str = ""
    basis: str = ""
    estimates: Table | None = None
    notice: str = ""
    systems_table: Table | None = None

    @property
    def missing(self) -> list[tuple[str, list[Figure]]]:
        """The figures that are undefined, by the reason."""
        found: dict[str, list[Figure]] = {}
        for one in self.undefined:
            found.setdefault(one.reason, []).append(one.figure)
        return list(found.items())

    @property
    def nothing_shared(self) -> bool:
        return not self.agreement and bool(self.undefined)

    @property
    def every_table(self) -> list[Table]:
        """All tables of the section, in the order of the page."""
        first = [table for table in (self.estimates, self.systems_table) if table]
        return [*first, *self.tables, *self.by_category, *(self.details.tables if self.details else [])]

    @property
    def every_plot(self) -> list[PlotData]:
        """All plots of the section, each under a key of its own."""
        ranks = self.details.rank_data if self.details else None
        return [*self.plots, *([replace(ranks, key=f"{self.prefix}-ranks")] if ranks else [])]


def _single_figures(flat: Json, undefined: Json) -> list[PrintedFigure]:
    """The figures that are one number each, on the axis of their kind."""
    return [
        printed(name, figure, flat[name], flat.get(f"{name}_ci"), undefined.get(name, ""), FIXED.get(figure.unit))
        for name, figure in FIGURES.items()
        if _is_one_figure(name, flat) and figure.unit != "bins"
    ]


def question_section(
    key: str, text: str, report: Json, scale: Axis | None, prefix: str = "", sorting: Sorting | None = None
) -> QuestionSection:
    """The section for one question's figures, which `agreement.question_figures.question_report` and its like describe.

    `prefix` begins the keys of its tables; `sorting` is how the reader wants them sorted.
    """
    flat = dict(_flat(report))
    undefined = report.get("undefined", {})
    figures = _single_figures(flat, undefined)
    local = report.get("local_alpha") or {}
    bins = local.get("histogram")
    headings, systems = _systems(report, undefined, scale)
    bootstrap, drawn = report.get("bootstrap", {}), _drawn(report)
    bars, dots = _bars(prefix, bins), _dots(prefix, report, scale)
    agreement = [one for one in figures if one.figure.unit != "count" and not one.reason]
    made, notice = _Made(prefix, sorting or Sorting(), basis_of(report)), report.get("alpha_notice", "")
    noted = f"{made.basis}. {notice}" if notice else made.basis
    return QuestionSection(
        key=key,
        text=text,
        level=str(report.get("level", "")),
        counts=[one for one in figures if one.figure.unit == "count"],
        agreement=agreement,
        histogram=bars.histogram() if bars else None,
        local_n=local.get("n", 0),
        headings=headings,
        systems=systems,
        about_systems=sorted({reason for name, reason in undefined.items() if name in BY_SYSTEM}),
        replicates=bootstrap.get("replicates", 0),
        confidence=bootstrap.get("confidence"),
        dots=dots.dot_plot() if dots else None,
        plots=[plot for plot in (bars, dots) if plot],
        prefix=prefix,
        basis=made.basis,
        dots_figure=FIGURES[drawn] if drawn else None,
        tables=[made.of(table) for table in question_tables(report)],
        by_category=[made.of(table) for table in category_tables(report, scale)],
        undefined=[one for one in figures if one.figure.unit != "count" and one.reason],
        estimates=replace(made, basis=noted).of(estimates_table(agreement)) if agreement else None,
        notice=notice,
        systems_table=made.of(systems_table(headings, systems)) if systems else None,
    )


@dataclass(frozen=True)
class _Made:
    """Gives tables the key of their section and the reader's order."""

    prefix: str
    sorting: Sorting
    basis: str = ""

    def of(self, table: Table) -> Table:
        return replace(table, prefix=self.prefix, sorting=self.sorting, basis=self.basis)


def basis_of(report: Json) -> str:
    """What the figures of a question rest on, as captions say it."""
    counts = [(report.get(name), name) for name in ("ratings", "raters", "items")]
    return f"n = {', '.join(f'{count} {name}' for count, name in counts if count is not None)}"


def estimates_table(agreement: Sequence[PrintedFigure]) -> Table:
    """The figures of agreement as a table to copy."""
    estimate = Figure("Estimate", "", "alpha", "higher", "")
    return Table(AGREEMENT, [estimate], [(one.figure.title, [one]) for one in agreement])


def systems_table(headings: Sequence[SystemColumn], systems: Sequence[tuple[str, list[PrintedFigure]]]) -> Table:
    """Systems with all their figures, sorted by the first one, and the items that they rest on."""
    heads = [heading.figure for heading in headings]
    return Table(SYSTEMS, heads, list(systems), first=slugify(heads[0].title) if heads else "", is_open=True)


def _items_of(report: Json, system: str) -> int | None:
    """The most items that any figure of a system rests on."""
    counts = [(report.get(f"{name}_items") or {}).get(system) for name in OF_SYSTEMS]
    counts += [own[system]["items"] for own in (report.get("aggregates") or {}).values() if system in own]
    return max((count for count in counts if count is not None), default=None)


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


def _systems(
    report: Json, undefined: Mapping[str, str], scale: Axis | None
) -> tuple[list[SystemColumn], list[tuple[str, list[PrintedFigure]]]]:
    """The columns of the systems' table and its rows, one per system, in the report's order."""
    aggregates = report.get("aggregates") or {}
    hidden = () if report.get("outputs_undecided") else OF_UNDECIDED
    columns = [name for name in OF_SYSTEMS if report.get(name) and name not in hidden]
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
            cell = printed(name, heading.figure, value, interval, reason, axes[heading.name])
            cells.append(replace(cell, gap=undefined.get(f"{heading.name}_ci.{system}", "")))
        items = _items_of(report, system)
        cells.append(plain(ITEMS, NOT_COUNTED if items is None else str(items), value=items))
        rows.append((system, cells))
    return [*headings, SystemColumn("items", ITEMS)] if rows else headings, rows


def _drawn(report: Json) -> str:
    """The figure of systems to draw; "" if there is none."""
    return next((name for name in DRAWN if any(value is not None for value in (report.get(name) or {}).values())), "")


def _bars(prefix: str, bins: Json | None) -> PlotData | None:
    if not bins or not sum(bins["counts"]):
        return None
    title = FIGURES["local_alpha.histogram"].title
    return histogram_data(f"{prefix}-histogram", title, "alpha within an item", bins["edges"], bins["counts"])


def _dots(prefix: str, report: Json, scale: Axis | None) -> PlotData | None:
    name = _drawn(report)
    axis = axis_around(FIGURES[name].unit, _ends(report, name), scale) if name else None
    if axis is None:
        return None
    title = FIGURES[name].title
    return dot_data(f"{prefix}-systems", title, title, report[name], report.get(f"{name}_ci") or {}, axis)


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


def question_sections(study: Study, figures: Json, sorting: Sorting | None = None) -> list[QuestionSection]:
    """The sections of all questions with a rating, in the study's order."""
    types = question_types()
    return [
        question_section(
            question.key,
            question.text or question.key,
            figures["questions"][question.key],
            types[question.type].scale(question.spec),
            f"q{place}",
            sorting,
        )
        for place, question in enumerate(study.questions.all(), 1)
        if figures["questions"].get(question.key, {}).get("ratings")
    ]


def glances(study: Study, figures: Json) -> list[tuple[str, PrintedFigure]]:
    """The text of each question with an alpha, and its alpha of the highest level of measurement."""
    found = []
    for section in question_sections(study, figures):
        alphas = [one for one in (*section.agreement, *section.undefined) if one.name in ALPHAS]
        if alphas:
            found.append((section.text, max(alphas, key=lambda one: ALPHAS.index(one.name))))
    return found


def glance_table(found: Sequence[tuple[str, PrintedFigure]]) -> Table:
    """The figures of the overview as a table to copy."""
    kind, estimate = Figure("Figure", "", "table", "neither", ""), Figure("Estimate", "", "alpha", "higher", "")
    rows = [(text, [PrintedFigure("", kind, shown.figure.title), shown]) for text, shown in found]
    return Table(Figure("Agreement", "", "table", "higher", "", "Question"), [kind, estimate], rows)


def dimensions(study: Study, figures: Json, sorting: Sorting | None = None) -> Table | None:
    """The table of agreement between questions that rank the same outputs."""
    texts = {question.key: question.text or question.key for question in study.questions.all()}
    table = dimensions_table(figures["dimensions"], texts)
    return replace(table, sorting=sorting or Sorting(), prefix="dimensions") if table else None
