"""The kept figures about disagreement as tables and grids, with links to the items behind each row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.text import slugify

from agreement.catalogue.disagreement_catalogue import DISAGREEMENT, GROUPS
from annotation.models import Study
from managing.items.filters import finds_systems
from managing.watching.item_links import item_address, items_address
from reports.pages.display.printed_figures import UNIT, Axis, Json, PrintedFigure, number, printed
from reports.pages.display.row_order import AS_GIVEN, Sorting
from reports.pages.display.tables import Table

AGAINST_CHANCE = (0.0, 2.0)
"""Disagreement divided by that of chance is 1 - alpha, and alpha goes from -1 to 1."""
COLUMNS = ("ratings", "items", "differ", "relative")
FILTERS = {"system": "system", "rater": "rater", "category": "category"}
"""The kinds of groups by which the table of items filters, with the names of its parameters."""
SHADES = 5
NUMBERED = ("nominal", "interval")
"""Levels whose values are the numbers of ratings."""
NONE = "\N{EN DASH}"
FEW, MOST_OUTSTANDING = 5, 6
"""With fewer shared units, a cell is not shaded."""


@dataclass(frozen=True)
class GridCell:
    """A cell of a grid: a text, a smaller one below it, a shade from 0 to SHADES, and a sentence about it."""

    text: str
    below: str = ""
    shade: int = 0
    said: str = ""
    address: str = ""


@dataclass(frozen=True)
class Grid:
    """A table of rows against columns with shaded cells."""

    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[GridCell]]]
    left_out: int = 0


@dataclass(frozen=True)
class GroupItems:
    """The items with the most disagreement in a group: keys and addresses."""

    name: str
    items: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class PulledItem:
    """An item with its pull on alpha and what its raters said of each unit."""

    key: str
    address: str
    pull: PrintedFigure
    without: PrintedFigure
    units: Sequence[Json]


def group_tables(
    study: Study, report: Json, span: float | None = None, sorting: Sorting | None = None
) -> list[tuple[Table, list[GroupItems]]]:
    """A table of each kind of groups that has any row, with the items behind each row.

    `span` is the length of the question's scale, beyond which no bias can be.
    """
    return [
        (
            replace(_group_table(study, kind, report["by"][kind]["rows"], span), sorting=sorting or Sorting()),
            _items(study, report["by"][kind]["rows"]),
        )
        for kind in GROUPS
        if report["by"].get(kind, {}).get("rows")
    ]


def _items(study: Study, rows: Sequence[Json]) -> list[GroupItems]:
    return [
        GroupItems(row["name"], [(key, item_address(study, pk)) for pk, key in row["worst"]])
        for row in rows
        if row.get("worst")
    ]


def _group_table(study: Study, kind: str, rows: Sequence[Json], span: float | None) -> Table:
    with_bias = any("bias" in row and row["bias"] is not None for row in rows)
    names = (*COLUMNS, "bias") if with_bias else COLUMNS
    ends = [abs(end) for row in rows for end in (row.get("bias_ci") or [row.get("bias") or 0.0])]
    reach = span or float(math.ceil(max(ends, default=0.0)))
    axes: Mapping[str, Axis | None] = {
        "differ": UNIT,
        "relative": AGAINST_CHANCE,
        "bias": (-reach, reach) if reach else None,
    }
    return Table(
        GROUPS[kind],
        [DISAGREEMENT[name] for name in names],
        [(row["name"], [_cell(name, row, axes.get(name)) for name in names]) for row in rows],
        addresses=_addresses(study, kind, rows),
        first=slugify(DISAGREEMENT["relative"].title) if kind in FILTERS else AS_GIVEN,
        is_worst_first=True,
    )


def _addresses(study: Study, kind: str, rows: Sequence[Json]) -> Mapping[str, str]:
    if kind not in FILTERS or (kind == "system" and not finds_systems(study)):
        return {}
    return {row["name"]: items_address(study, sort="disagreement", **{FILTERS[kind]: row["name"]}) for row in rows}


def _cell(name: str, row: Json, axis: Axis | None) -> PrintedFigure:
    reason = row["undefined"].get(name, "")
    return printed(name, DISAGREEMENT[name], row[name], row.get(f"{name}_ci"), reason, axis)


def whole_figures(report: Json) -> list[PrintedFigure]:
    """The figures of a question as a whole."""
    reason = report["whole"]["undefined"].get("relative", "")
    alpha = printed("alpha", DISAGREEMENT["alpha"], report["alpha"], None, reason, None)
    return [alpha, _cell("differ", report["whole"], UNIT)]


def stands_out(report: Json) -> list[tuple[str, str, Json]]:
    """The groups whose whole interval lies above the question's disagreement: (kind, name, row), the worst first."""
    level = report["whole"]["relative"]
    if level is None:
        return []
    found = [
        (kind, row["name"], row)
        for kind in GROUPS
        for row in report["by"].get(kind, {}).get("rows", ())
        if kind != "guidelines" and row["relative_ci"] and row["relative_ci"][0] > level
    ]
    return sorted(found, key=lambda one: -(one[2]["relative_ci"][0] / level))[:MOST_OUTSTANDING]


def rater_grid(study: Study, matrix: Json) -> Grid:
    """How often each two raters agree, in percent, with the number of shared units below."""
    raters: Sequence[str] = matrix["raters"]
    rows = []
    for place, name in enumerate(raters):
        cells = [
            GridCell("·") if place == other else _agreement_cell(study, matrix, place, other)
            for other in range(len(raters))
        ]
        rows.append((name, cells))
    return Grid(raters, rows, matrix["left_out"])


def _agreement_cell(study: Study, matrix: Json, one: int, other: int) -> GridCell:
    n, equal, names = matrix["n"][one][other], matrix["equal"][one][other], matrix["raters"]
    if not n:
        return GridCell(NONE, said="no shared units")
    share = equal / n
    below = str(n)
    if matrix["difference"] is not None:
        below += f", {number(matrix['difference'][one][other], 'scale')}"
    shade = 0 if n < FEW else round(SHADES * (1 - share))
    said = f"{names[one]} and {names[other]} agree on {equal} of {n}"
    return GridCell(
        f"{100 * share:.0f}", below, shade, said, items_address(study, rater=names[one], sort="disagreement")
    )


def confusion_grid(report: Json, study: Study | None = None, question: str = "") -> Grid | None:
    """What the others said beside each answer, in percent of the row; None if there are too many values.

    With the question's key, cells lead to their items, if the values are numbers that answers are found by.
    """
    found = report["confusion"]
    if found["values"] is None:
        return None
    labels = [report["labels"].get(f"{value:g}", f"{value:g}") for value in found["values"]]
    rows = []
    for place, label in enumerate(labels):
        counts = found["counts"][place]
        total = sum(counts)
        cells = [
            GridCell(
                f"{100 * count / total:.0f}", f"{count:.0f}",
                0 if other == place else min(SHADES, round(2 * SHADES * count / total)),
                f"beside {label}, {labels[other]}: {count:.0f} of {total:.0f}",
                _beside(study, question, report, place, other) if study is not None and count else "",
            )
            if total else GridCell(NONE)
            for other, count in enumerate(counts)
        ]  # fmt: skip
        rows.append((label, cells))
    return Grid(labels, rows)


def _beside(study: Study, question: str, report: Json, place: int, other: int) -> str:
    """The items with two answers of a cell, or "" if they are not found by numbers."""
    if report.get("level") not in NUMBERED:
        return ""
    values = report["confusion"]["values"]
    return items_address(study, question=question, answer=f"{values[place]:g}", beside=f"{values[other]:g}")


def pulled_items(study: Study, pulled: Sequence[Json]) -> list[PulledItem]:
    """The items with a strong pull, with links."""
    return [
        PulledItem(
            row["key"], item_address(study, row["pk"]),
            _signed(row["pull"]), printed("without", DISAGREEMENT["without"], row["without"], None, "", None),
            row["units"],
        )
        for row in pulled
    ]  # fmt: skip


def _signed(pull: float) -> PrintedFigure:
    """A pull with as many decimals as it needs."""
    text = f"{pull:+.4f}" if abs(pull) >= 0.00005 else f"{pull:+.1e}"
    return PrintedFigure("pull", DISAGREEMENT["pull"], text.replace("-", "\N{MINUS SIGN}"), number=pull)
