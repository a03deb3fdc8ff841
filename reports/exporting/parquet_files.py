"""The writer of Parquet files. Only workers and commands load this module: pyarrow is large."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.file_tables.parquet_types import arrow_schema, arrow_type
from annotation.typed_columns import Column, ColumnKind
from config.model_fields import canonical_json
from reports.exporting.file_writers import NOTHING_WRITTEN, WrittenFile

ROWS = 1000
MOST_ROWS, MOST_BYTES = 100_000, 32 * 2**20
"""A row group ends with the first of these; only one group is in memory."""


def write_parquet(path: Path, columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """Write one file with a row per row, unless there are none."""
    schema, count = arrow_schema(columns), 0
    encoders = [(column.name, _encoder(column), arrow_type(column)) for column in columns]
    groups = _groups(iter(rows), encoders, schema)
    group = next(groups, None)
    if group is None:
        return NOTHING_WRITTEN
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        while group is not None:
            count += group.num_rows
            writer.write_table(group, row_group_size=group.num_rows)
            group = next(groups, None)
    with path.open("rb") as file:
        return WrittenFile(count, hashlib.file_digest(file, "sha256").hexdigest())


Encoder = Callable[[Any], Any]
Encoders = list[tuple[str, Encoder, pa.DataType]]


def _groups(rows: Iterator[Mapping[str, Any]], encoders: Encoders, schema: pa.Schema) -> Iterator[pa.Table]:
    batches: list[pa.RecordBatch] = []
    while some := list(islice(rows, ROWS)):
        arrays = [
            pa.array([None if (value := row.get(name)) is None else encode(value) for row in some], type=kind)
            for name, encode, kind in encoders
        ]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        if len(batches) * ROWS >= MOST_ROWS or sum(batch.nbytes for batch in batches) >= MOST_BYTES:
            yield pa.Table.from_batches(batches, schema)
            batches = []
    if batches:
        yield pa.Table.from_batches(batches, schema)


def _encoder(column: Column) -> Encoder:
    """Return what makes a value of a row one that pyarrow takes for the column's type."""
    if column.kind is ColumnKind.RECORD:
        return _record_encoder(column)
    if column.kind is ColumnKind.RECORDS:
        encode = _record_encoder(column)
        return lambda value: [encode(one) for one in value]
    return ENCODERS.get(column.kind, _unchanged)


def _record_encoder(column: Column) -> Encoder:
    fields = [(field.name, _encoder(field)) for field in column.fields]
    return lambda value: {name: None if value.get(name) is None else encode(value[name]) for name, encode in fields}


def _unchanged(value: Any) -> Any:
    return value


def _text_or_json(value: Any) -> str:
    """Return a text itself, unless it looks like JSON, and JSON of anything else."""
    return value if isinstance(value, str) and value[:1] not in ("[", '"') else canonical_json(value)


def _answer(value: Any) -> str:
    return value if isinstance(value, str) else canonical_json(value)


ENCODERS: Mapping[ColumnKind, Encoder] = {
    ColumnKind.NUMBER: float, ColumnKind.TIME: datetime.fromisoformat, ColumnKind.JSON: canonical_json,
    ColumnKind.TEXT_OR_JSON: _text_or_json, ColumnKind.VALUE: _answer,
}  # fmt: skip
