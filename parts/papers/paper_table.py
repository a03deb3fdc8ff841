"""The tables of the source papers, made from any study that has what they need: one module of `tables` per table.

A table is plain values for JSON: `columns` and `rows` of cells, each with a number or text, and with its interval,
standard error, mark or the reason why it is undefined. `reports.pages.display.table_formats` writes it as LaTeX,
Markdown and CSV.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from config.registry import discover
from parts.papers.paper_answers import PaperAnswers
from reports.figures.study_answers import StudyAnswers

Json = Mapping[str, Any]
BESIDE = ("low", "high", "se", "spread")
"""What may be known about a cell's number, by its key in JSON."""
LONGEST = 200
"""Characters of a text that a cell shows."""


@dataclass(frozen=True)
class TableCell:
    """A number or a text; `low` and `high` are its 95 % interval, `mark` says that it is near the best.

    `se` is its standard error, `spread` its standard deviation over a judge's reruns.
    """

    value: float | str | None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    reason: str = ""
    mark: bool = False
    spread: float | None = None

    def marked(self) -> TableCell:
        """The same cell, marked as near the best."""
        return replace(self, mark=True)

    def as_json(self) -> dict[str, Any]:
        """The value, and what else is known."""
        if self.value is None:
            return {"value": None, "reason": self.reason or "no reason was given"}
        known = {name: getattr(self, name) for name in BESIDE if getattr(self, name) is not None}
        return {"value": self.value, **known, **({"mark": True} if self.mark else {})}


BLANK = TableCell("")
"""A cell for which there is nothing to say, such as a judge's share of a line that is not about judges."""


@dataclass(frozen=True)
class TableColumn:
    """A column: its key in JSON, its title, the unit of its numbers (`report_catalogue`), and its anchor in docs."""

    key: str
    title: str
    unit: str = "share"
    anchor: str = ""

    def as_json(self) -> dict[str, str]:
        return {"key": self.key, "title": self.title, "unit": self.unit, "anchor": self.anchor}


@dataclass(frozen=True)
class TableDrawing:
    """A drawing of a table's columns, by their keys, on an axis from `low` to `high`; each part has its own.

    `kind` is "dots", one drawing per column with the cells' intervals, or "bars", a line per row with its columns one
    after the other. `axis` says what the numbers are.
    """

    kind: str
    columns: Sequence[str]
    axis: str
    low: float = 0.0
    high: float = 1.0

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "columns": list(self.columns), "axis": self.axis, "low": self.low, "high": self.high,
        }  # fmt: skip


@dataclass(frozen=True)
class TableBody:
    """A table's columns and rows, (name, cells in the order of the columns); `notes` are sentences below it.

    `rows_are` heads the rows' names. Rows of one `part`, such as a question, are printed together; `parts` gives the
    part of each row, and is empty if there is only one.
    """

    rows_are: str
    columns: Sequence[TableColumn]
    rows: Sequence[tuple[str, Sequence[TableCell]]]
    parts: Sequence[str] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)
    drawing: TableDrawing | None = None


class PaperTable(ABC):
    """A table of a paper. `source` names the paper and the table."""

    key: str
    title: str
    source: str

    @abstractmethod
    def body(self, answers: PaperAnswers) -> TableBody | None:
        """The table of a study, or None if the study has nothing that it shows."""


def paper_tables() -> Mapping[str, PaperTable]:
    """All tables by their keys."""
    return discover("tables", "TABLE")


def tables_of(comparison: StudyAnswers) -> dict[str, dict[str, Any]]:
    """The tables that a study has, by key, as plain values."""
    answers, made = PaperAnswers(comparison), {}
    for key, table in paper_tables().items():
        body = table.body(answers)
        if body is not None and body.rows:
            made[key] = {**_as_json(table, body), "basis": f"n = {len(answers.rated.items)} items"}
    return made


def _as_json(table: PaperTable, body: TableBody) -> dict[str, Any]:
    parts = body.parts or ("",) * len(body.rows)
    return {
        "title": table.title,
        "source": table.source,
        "rows_are": body.rows_are,
        "columns": [column.as_json() for column in body.columns],
        "rows": [
            {
                "name": name,
                **({"part": part} if part else {}),
                "cells": {column.key: cell.as_json() for column, cell in zip(body.columns, cells, strict=True)},
            }
            for part, (name, cells) in zip(parts, body.rows, strict=True)
        ],
        "notes": list(body.notes),
        **({} if body.drawing is None else {"drawing": body.drawing.as_json()}),
    }


def cell_of(report: Json, name: str | Sequence[str], *, mark: bool = False) -> TableCell:
    """The cell for a figure of a report, by its dotted name or its path, with what is known beside it, or a reason."""
    *path, last = name.split(".") if isinstance(name, str) else name
    name = ".".join((*path, last))
    place: Any = report
    for part in path:
        place = place.get(part) or {}
    value = place.get(last)
    if value is None:
        return TableCell(None, reason=str(report.get("undefined", {}).get(name, "")))
    low, high = place.get(f"{last}_ci") or (None, None)
    spread = (report.get("spread") or {}).get(name)
    return TableCell(value, low, high, place.get(f"{last}_se"), mark=mark, spread=spread)


def text_cell(texts: Iterable[str | None] | str | None, empty: str = "") -> TableCell:
    """A text, or several with slashes between them; without any, `empty` is the reason."""
    given = [texts] if isinstance(texts, str) or texts is None else list(texts)
    known = [one for one in given if one]
    return TableCell(" / ".join(known)) if known else TableCell(None, reason=empty)


def share_cell(figure: Json | None, reason: str) -> TableCell:
    """The cell of a share {n, of, share}, with its interval if it has one."""
    if figure is None or figure["share"] is None:
        return TableCell(None, reason=reason)
    low, high = figure.get("share_ci") or (None, None)
    return TableCell(figure["share"], low, high)


def with_highest_marked(rows: Sequence[Sequence[TableCell]], columns: Iterable[int]) -> list[list[TableCell]]:
    """The rows with the highest numbers of these columns marked."""
    marked = [list(row) for row in rows]
    for column in columns:
        values = [row[column].value for row in rows if isinstance(row[column].value, (int, float))]
        for row in marked:
            if values and row[column].value == max(values):  # type: ignore[type-var]
                row[column] = row[column].marked()
    return marked


def clipped(text: str | None) -> str | None:
    """A text on one line, cut after LONGEST characters."""
    if text is None:
        return None
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"
