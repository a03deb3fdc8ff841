"""The writer of Parquet files. Only workers and commands load this module: pyarrow is large."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.typed_columns import Column
from files.tables.parquet_types import arrow_schema, arrow_type
from files.writing.column_encoders import Encoder, encoder
from files.writing.file_writers import NOTHING_WRITTEN, WrittenFile

ROWS = 1000
MOST_ROWS, MOST_BYTES = 100_000, 32 * 2**20
"""A row group ends with the first of these; only one group is in memory."""


def write_parquet(path: Path, columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """Write one file with a row per row, unless there are none."""
    schema, count = arrow_schema(columns), 0
    encoders = [(column.name, encoder(column, datetime.fromisoformat), arrow_type(column)) for column in columns]
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
