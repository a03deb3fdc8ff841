"""Potato's exports with a row per annotator and item (CSV, TSV, JSONL), as its annotated instances."""

from collections.abc import Collection
from typing import Any

from files.line_reading import JSONInvalidError, parse_json
from parts.other_tools.tool_files import Body

INSTANCE, USER, OLD_USER = "instance_id", "user_id", "user"
LABELS, SPANS = "labels", "spans"
SPAN_COLUMN = "_spans"
MARKS = (":::", ".")
"""Between the name of a scheme and that of a label, in the exports of older versions and of newer ones."""


def is_export(body: Body) -> bool:
    """Return whether a record is a line of such an export, and not of the log of what people did."""
    user = USER in body or OLD_USER in body
    return INSTANCE in body and user and (isinstance(body.get(LABELS), dict) or _has_columns(body))


def _has_columns(body: Body) -> bool:
    return any(mark in key and isinstance(value, str) for key, value in body.items() for mark in MARKS)


def from_columns(body: Body, schemes: Collection[str]) -> Body:
    """Return a line of the JSONL export for a row of a table. `schemes` are the names that are known."""
    labels: dict[str, dict[str, Any]] = {}
    spans: dict[str, Any] = {}
    for column, cell in body.items():
        scheme, label = _parts(column, schemes)
        if not label or (label.startswith("_") and label != SPAN_COLUMN):
            continue
        if label == SPAN_COLUMN:
            spans[scheme] = _json(cell)
        else:
            labels.setdefault(scheme, {})[label] = cell
    return {INSTANCE: body.get(INSTANCE), USER: body.get(USER, body.get(OLD_USER)), LABELS: labels, SPANS: spans}


def _parts(column: str, schemes: Collection[str]) -> tuple[str, str]:
    """The scheme and the label of a column: at the longest name that is known, otherwise at the first mark."""
    for mark in MARKS:
        known = [name for name in schemes if column.startswith(name + mark)]
        if known:
            scheme = max(known, key=len)
            return scheme, column.removeprefix(scheme + mark)
    for mark in MARKS:
        if mark in column:
            scheme, _, label = column.partition(mark)
            return scheme, label
    return column, ""


def _json(cell: Any) -> Any:
    try:
        return parse_json(cell)
    except JSONInvalidError:
        return cell
