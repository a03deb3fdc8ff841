"""The types of Parquet files' columns. Only workers and commands load this module: pyarrow is large."""

from collections.abc import Iterable

import pyarrow as pa

from annotation.typed_columns import Column, ColumnKind

TIME = pa.timestamp("us", tz="UTC")
RANKS = pa.list_(pa.struct([("system", pa.string()), ("rank", pa.int64())]))
SIMPLE = {
    ColumnKind.TEXT: pa.string(), ColumnKind.WHOLE: pa.int64(), ColumnKind.NUMBER: pa.float64(),
    ColumnKind.YES_NO: pa.bool_(), ColumnKind.TIME: TIME, ColumnKind.TEXTS: pa.list_(pa.string()),
    ColumnKind.RANKING: RANKS, ColumnKind.JSON: pa.string(), ColumnKind.TEXT_OR_JSON: pa.string(),
    ColumnKind.VALUE: pa.string(),
}  # fmt: skip


def arrow_type(column: Column) -> pa.DataType:
    """Return the type of a column or of a field of its records."""
    if column.kind in SIMPLE:
        return SIMPLE[column.kind]
    inside = pa.struct([(field.name, arrow_type(field)) for field in column.fields])
    return inside if column.kind is ColumnKind.RECORD else pa.list_(inside)


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """Return the schema of a table's file."""
    return pa.schema([(column.name, arrow_type(column)) for column in columns])
