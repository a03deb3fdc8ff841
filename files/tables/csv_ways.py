"""How each column of a CSV file is read and written."""

from collections.abc import Iterable, Mapping

from annotation.typed_columns import Column, ColumnKind

TEXT, NUMBER, FLAG, JSON, MIXED, CELL, IGNORED = "text", "number", "flag", "json", "mixed", "cell", "ignored"
"""How a column is read. Mixed: JSON if it begins with [ or a quotation mark, else text."""
HOW: Mapping[ColumnKind, str] = {
    ColumnKind.TEXT: TEXT, ColumnKind.TIME: TEXT, ColumnKind.WHOLE: NUMBER, ColumnKind.NUMBER: NUMBER,
    ColumnKind.YES_NO: FLAG, ColumnKind.TEXT_OR_JSON: MIXED, ColumnKind.VALUE: CELL,
}  # fmt: skip
"""How columns of a kind are read and written; all other kinds are JSON."""


def ways(columns: Iterable[Column]) -> dict[str, str]:
    """Return how each column is read, by its name."""
    return {column.name: IGNORED if column.added else HOW.get(column.kind, JSON) for column in columns}
