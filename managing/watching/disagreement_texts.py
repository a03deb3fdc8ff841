"""The tables and grids about disagreement as plain values, which are written as files to copy."""

from collections.abc import Mapping, Sequence
from typing import Any

from managing.watching.disagreement_tables import Grid, GroupItems, PulledItem
from reports.pages.display.page_files import texts_of
from reports.pages.display.table_texts import text_cell
from reports.pages.display.tables import Table

GRIDS = {"grid": "raters-against-raters", "confusion": "answers-against-answers"}
PULLS = {"lowering": "items-that-lower-alpha", "raising": "items-that-raise-alpha"}
"""The keys of files, by the names of the context."""


def disagreement_texts(context: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """All tables of the page's context; empty if it compares nothing."""
    tables: Sequence[tuple[Table, list[GroupItems]]] = context.get("tables", ())
    about = context["question"].key if context.get("question") else ""
    found = texts_of((table for table, _ in tables), about)
    for name, key in GRIDS.items():
        if context.get(name):
            found[key] = _of_grid(context[name], f"{_title(key)}, {about}")
    for name, key in PULLS.items():
        if context.get(name):
            found[key] = _of_items(context[name], f"{_title(key)}, {about}")
    return found


def _title(key: str) -> str:
    return key.replace("-", " ").capitalize()


def _of_grid(grid: Grid, title: str) -> dict[str, Any]:
    """Percents, and below each what they are of, as in the page."""
    keys = [f"column_{number}" for number in range(1, len(grid.heads) + 1)]
    rows = [
        {"name": head, "cells": {key: _grid_cell(cell.text, cell.below) for key, cell in zip(keys, cells, strict=True)}}
        for head, cells in grid.rows
    ]
    columns = [{"key": key, "title": head, "unit": ""} for key, head in zip(keys, grid.heads, strict=True)]
    return {"title": title, "source": "", "rows_are": "", "columns": columns, "rows": rows, "notes": []}


def _grid_cell(text: str, below: str) -> dict[str, Any]:
    if not text.isdecimal():
        return {"value": None, "reason": "no shared units"}
    return {"value": int(text), "text": text, **({"counts": below} if below else {})}


def _of_items(items: Sequence[PulledItem], title: str) -> dict[str, Any]:
    columns = [("pull", "Pull"), ("without", "Alpha without it"), ("answers", "Answers")]
    rows = []
    for one in items:
        said = "; ".join(
            f"{unit['system']}: {', '.join(unit['answers'])}" if unit.get("system") else ", ".join(unit["answers"])
            for unit in one.units
        )
        cells = {"pull": text_cell(one.pull), "without": text_cell(one.without), "answers": {"value": said}}
        rows.append({"name": one.key, "cells": cells})
    return {
        "title": title, "source": "", "rows_are": "Item", "rows": rows, "notes": [],
        "columns": [{"key": key, "title": name, "unit": ""} for key, name in columns],
    }  # fmt: skip
