"""A table of a report as its page shows it, with the texts to copy."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports.pages.display.printed_figures import number
from reports.pages.display.table_drawings import DrawnTable, drawings_of
from reports.pages.display.table_formats import PLUS_MINUS, notes_of, parts_of, printed_value
from reports.pages.display.table_texts import WRITERS
from reports.pages.display.undefined_reasons import UndefinedReasons

Json = Mapping[str, Any]
BESIDE = {"se": PLUS_MINUS, "spread": "over reruns " + PLUS_MINUS}
"""What is printed before a standard error, and before the standard deviation over reruns."""
FOLDED_FROM = 25
"""Tables with so many rows are folded."""
LONG_TEXT = 30
"""Characters of a text that does not get a column of its own width."""


@dataclass(frozen=True)
class ShownCell:
    """A cell as text; `beside` says its standard error, and its spread over reruns."""

    value: str
    interval: tuple[str, str] | None
    note: int
    mark: bool
    beside: str = ""
    kind: str = "num"
    """How the cell is set: `num`, `words` for a short text, or `words long`."""


@dataclass(frozen=True)
class ShownTable:
    """A table: `parts` are (title, rows), a row is (name, cells); `texts` are (ending, name, text) to copy."""

    key: str
    title: str
    source: str
    rows_are: str
    heads: list[tuple[str, str, str]]
    """(title, anchor, `num` or `words`) of each column."""
    parts: list[tuple[str, list[tuple[str, list[ShownCell]]]]]
    notes: list[str]
    reasons: list[tuple[int, str]]
    texts: list[tuple[str, str, str]]
    drawings: list[DrawnTable]

    @property
    def row_count(self) -> int:
        return sum(len(rows) for _, rows in self.parts)

    @property
    def folded(self) -> bool:
        """Whether it is so long that a reader should open it first."""
        return self.row_count >= FOLDED_FROM


def shown_tables(report: Json) -> list[ShownTable]:
    """All tables of a report, in the order of their sources."""
    tables = sorted(report["tables"].items(), key=lambda one: (_numbered(one[1]["source"]), one[0]))
    return [shown_table(key, table) for key, table in tables]


def _numbered(source: str) -> list[tuple[str, int]]:
    """What orders sources: by their texts, and by the numbers between them as numbers."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", source)]


def shown_table(key: str, table: Json) -> ShownTable:
    columns, reasons = table["columns"], UndefinedReasons()
    kinds = {one["key"]: _kind([row["cells"][one["key"]]["value"] for row in table["rows"]]) for one in columns}
    parts = []
    for part, rows in parts_of(table["rows"]):
        shown = [
            (
                row["name"],
                [_shown(row["cells"][one["key"]], one["unit"], kinds[one["key"]], reasons) for one in columns],
            )
            for row in rows
        ]
        parts.append((part, shown))
    return ShownTable(
        key=key,
        title=table["title"],
        source=table["source"],
        rows_are=table["rows_are"],
        heads=[(column["title"], column["anchor"], kinds[column["key"]]) for column in columns],
        parts=parts,
        notes=notes_of(table),
        reasons=reasons.listed,
        texts=[(ending, name, write(key, table)) for ending, (name, write) in WRITERS.items()],
        drawings=drawings_of(key, table),
    )


def _kind(values: list[Any]) -> str:
    """How a column with these values is set."""
    return "words" if any(isinstance(value, str) for value in values) else "num"


def _shown(cell: Json, unit: str, kind: str, reasons: UndefinedReasons) -> ShownCell:
    if cell["value"] is None:
        return ShownCell("", None, reasons.number(cell["reason"]), False, kind=kind)
    ends = (number(cell["low"], unit), number(cell["high"], unit)) if "low" in cell else None
    known = [f"{sign} {number(cell[key], unit)}" for key, sign in BESIDE.items() if key in cell]
    if isinstance(cell["value"], str) and len(cell["value"]) > LONG_TEXT:
        kind = "words long"
    text = printed_value(cell["value"], unit)
    return ShownCell(text, ends, 0, cell.get("mark", False), ", ".join(known), kind)
