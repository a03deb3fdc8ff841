"""How values of a table's row are written in formats with one type per column: Parquet, and typed JSONL."""

from collections.abc import Callable, Mapping
from typing import Any

from annotation.typed_columns import Column, ColumnKind
from config.model_fields import canonical_json

Encoder = Callable[[Any], Any]


def encoder(column: Column, time: Encoder) -> Encoder:
    """Return what makes a value of a row one of the column's type; `time` does so with the text of a time."""
    if column.kind is ColumnKind.TIME:
        return time
    if column.kind is ColumnKind.RECORD:
        return _record_encoder(column, time)
    if column.kind is ColumnKind.RECORDS:
        encode = _record_encoder(column, time)
        return lambda value: [encode(one) for one in value]
    return ENCODERS.get(column.kind, unchanged)


def _record_encoder(column: Column, time: Encoder) -> Encoder:
    fields = [(field.name, encoder(field, time)) for field in column.fields]
    return lambda value: {name: None if value.get(name) is None else encode(value[name]) for name, encode in fields}


def unchanged(value: Any) -> Any:
    """Return the value."""
    return value


def _text_or_json(value: Any) -> str:
    """Return a text itself, unless it looks like JSON, and JSON of anything else."""
    return value if isinstance(value, str) and value[:1] not in ("[", '"') else canonical_json(value)


def _answer(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


ENCODERS: Mapping[ColumnKind, Encoder] = {
    ColumnKind.NUMBER: float, ColumnKind.JSON: canonical_json, ColumnKind.TEXT_OR_JSON: _text_or_json,
    ColumnKind.VALUE: _answer,
}  # fmt: skip
