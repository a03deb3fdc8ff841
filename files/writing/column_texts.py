"""The values of a column as texts: for JSONL, for lines in which each column has one type, for cells of CSV."""

import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from annotation.typed_columns import Column, ColumnKind
from config.model_fields import canonical_json
from files.tables.csv_cells import neutralise, neutralise_json
from files.writing.column_batches import Text, parsed, remembered

NULL = "null"
BEGINS_JSON = ("[", '"')
"""A text that begins so would be read as JSON in a column of texts or JSON."""
QUOTED = re.compile(r'[,;\t\r\n"]')
"""Cells with one of these are quoted: spreadsheets may split a line at any of the first three."""


def yes_no_text(value: Any) -> str:
    return "true" if value else "false"


def json_text(column: Column) -> Text:
    """Return what writes a value of a batch in the column's own shape."""
    fields = [(field.beside or field.name, field.name, json_text(field)) for field in column.fields]
    return _of_records(column, _object_text(fields)) or JSON_TEXTS.get(column.kind, str)


def typed_text(column: Column) -> Text:
    """Return what writes a value of a batch as the column's one type, with all fields of records."""
    fields = [(field.name, typed_text(field)) for field in column.fields]

    def text(value: Mapping[str, Any]) -> str:
        told = (f'"{name}":{NULL if (one := value.get(name)) is None else field(one)}' for name, field in fields)
        return "{" + ",".join(told) + "}"

    return _of_records(column, text) or TYPED_TEXTS.get(column.kind) or JSON_TEXTS.get(column.kind, str)


def cell_text(column: Column) -> Text:
    """Return what writes a value of a batch as a cell of CSV."""
    text = _of_records(column, _sorted_object_text(column.fields))
    return CELL_TEXTS.get(column.kind, _json_cell) if text is None else lambda value: _json_cell(text(value))


def _of_records(column: Column, of_one: Text) -> Text | None:
    """What writes the column's records, if it has some."""
    if column.kind is ColumnKind.RECORD:
        return of_one
    return (lambda value: f"[{','.join(map(of_one, value))}]") if column.kind is ColumnKind.RECORDS else None


def _object_text(fields: Sequence[tuple[str, str, Text]]) -> Text:
    """What writes the fields that a record has: key, name and what writes the value; a later field takes the key."""

    def text(value: Mapping[str, Any]) -> str:
        told = {key: f'"{key}":{field(value[name])}' for key, name, field in fields if value.get(name) is not None}
        return "{" + ",".join(told.values()) + "}"

    return text


def _sorted_object_text(fields: Sequence[Column]) -> Text:
    """The same with sorted names, as in all JSON of CSV."""
    by_name = sorted(fields, key=lambda field: field.name)
    ways = [
        (field.name, _of_records(field, _sorted_object_text(field.fields)) or json_text(field)) for field in by_name
    ]
    return _object_text([(name, name, text) for name, text in ways])


def value_text(value: str) -> str:
    """Return an answer's text, or the JSON of any other answer."""
    return parsed(value) if value[0] == '"' else str(value)


def text_or_json(value: str) -> str:
    """Return a text itself, unless it looks like JSON, and the JSON of anything else."""
    text = value_text(value)
    return str(value) if text[:1] in BEGINS_JSON else text


def quoted(text: str) -> str:
    """Return a cell, in quotation marks if it needs some."""
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


@remembered
def _text_cell(value: str) -> str:
    return quoted(neutralise(value))


@remembered
def _json_cell(value: str) -> str:
    return quoted(neutralise_json(value))


@remembered
def _ranking_cell(value: str) -> str:
    return _json_cell(canonical_json(parsed(value)))


@remembered
def _value_cell(value: str) -> str:
    return _text_cell(value_text(value)) if value[0] == '"' else _json_cell(value)


@remembered
def _mixed_cell(value: str) -> str:
    text = value_text(value)
    return _json_cell(value) if value[0] != '"' or text[:1] in BEGINS_JSON else _text_cell(text)


JSON_TEXTS: Mapping[ColumnKind, Text] = {
    ColumnKind.TEXT: encode_basestring, ColumnKind.TIME: encode_basestring, ColumnKind.NUMBER: repr,
    ColumnKind.YES_NO: yes_no_text,
}  # fmt: skip
TYPED_TEXTS: Mapping[ColumnKind, Text] = {
    ColumnKind.NUMBER: lambda value: repr(float(value)), ColumnKind.JSON: encode_basestring,
    ColumnKind.TEXT_OR_JSON: lambda value: encode_basestring(text_or_json(value)),
    ColumnKind.VALUE: lambda value: encode_basestring(value_text(value)),
}  # fmt: skip
CELL_TEXTS: Mapping[ColumnKind, Text] = {
    ColumnKind.TEXT: _text_cell, ColumnKind.TIME: str, ColumnKind.WHOLE: str, ColumnKind.NUMBER: repr,
    ColumnKind.YES_NO: yes_no_text, ColumnKind.RANKING: _ranking_cell, ColumnKind.VALUE: _value_cell,
    ColumnKind.TEXT_OR_JSON: _mixed_cell,
}  # fmt: skip
