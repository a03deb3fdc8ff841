"""Any table of a page as the plain values that `table_formats` writes as LaTeX, Markdown and CSV."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import slugify

from reports.pages.display.printed_figures import PrintedFigure
from reports.pages.display.table_formats import as_csv, as_latex, as_markdown
from reports.pages.display.tables import Table

Json = Mapping[str, Any]
WRITERS = {
    "tex": ("LaTeX", as_latex),
    "md": ("Markdown", lambda _, table: as_markdown(table)),
    "csv": ("CSV", lambda _, table: as_csv(table)),
}
"""By the ending of their files: what the formats are called, and what writes a table in them."""
MEDIA_TYPES = {"tex": "application/x-tex", "md": "text/markdown", "csv": "text/csv"}


def text_table(table: Table, about: str = "") -> dict[str, Any]:
    """The table with its full names, in the order in which the page shows its rows; `about` ends its title."""
    keys = _column_keys(table)
    return {
        "title": f"{table.title}, {about}" if about else table.title,
        "source": "",
        "rows_are": table.row_head,
        "columns": [
            {"key": key, "title": head.title, "unit": head.unit} for key, head in zip(keys, table.heads, strict=True)
        ],
        "rows": [
            {"name": name, "cells": dict(zip(keys, map(text_cell, cells), strict=True))}
            for name, cells in table.sorted_rows
        ],
        "notes": [f"{table.figure.line.rstrip('.')}."] if table.figure.line else [],
        "basis": table.basis,
    }


def _column_keys(table: Table) -> list[str]:
    """A key for each column that a program can use as a name; a number ends those that would be the same."""
    keys: list[str] = []
    for head in table.heads:
        wanted = slugify(head.title).replace("-", "_") or "column"
        key, number = wanted, 2
        while key in keys:
            key, number = f"{wanted}_{number}", number + 1
        keys.append(key)
    return keys


def text_cell(shown: PrintedFigure) -> dict[str, Any]:
    """A figure with all its digits, as the page prints it, or the reason why it is undefined."""
    if shown.reason:
        return {"value": None, "reason": shown.reason}
    cell: dict[str, Any] = {"value": shown.value if shown.number is None else shown.number, "text": shown.value}
    if shown.ends:
        cell |= {"low": shown.ends[0], "high": shown.ends[1]}
    if shown.counts:
        cell["counts"] = shown.counts
    return cell


def written(table: Json, key: str, ending: str) -> str:
    """A table in the format of a file's ending."""
    _, write = WRITERS[ending]
    return write(key, table)
