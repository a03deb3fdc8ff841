"""The writer of Parquet files. Only workers and commands load this module: pyarrow is large."""

import hashlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.typed_columns import Column, ColumnKind, text_column, whole
from files.tables.parquet_types import arrow_schema, arrow_type
from files.writing.column_batches import ColumnBatch, Text, Values, parsed
from files.writing.column_texts import text_or_json, value_text, yes_no_text
from files.writing.file_writers import NOTHING_WRITTEN, WrittenFile

MOST_ROWS, MOST_BYTES = 100_000, 6 * 2**20
"""A row group ends with the first of these; only one group is in memory."""


class ParquetFile:
    """A Parquet file of batches. Without rows there is no file."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._path, self._columns, self._schema = path, columns, arrow_schema(columns)
        self._count, self._batches = 0, list[pa.RecordBatch]()
        self._file: pq.ParquetWriter | None = None

    def add(self, batch: ColumnBatch) -> None:
        """Append rows."""
        arrays = [array_of(column, batch) for column in self._columns]
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._count += batch.size
        rows, size = sum(one.num_rows for one in self._batches), sum(one.nbytes for one in self._batches)
        if rows >= MOST_ROWS or size >= MOST_BYTES:
            self._write_group()

    def close(self) -> WrittenFile:
        """Close the file; say what was written."""
        if self._batches:
            self._write_group()
        if self._file is None:
            return NOTHING_WRITTEN
        self._file.close()
        with self._path.open("rb") as file:
            return WrittenFile(self._count, hashlib.file_digest(file, "sha256").hexdigest())

    def _write_group(self) -> None:
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = pq.ParquetWriter(self._path, self._schema, compression="zstd")
        group = pa.Table.from_batches(self._batches, self._schema)
        self._file.write_table(group, row_group_size=group.num_rows)
        self._batches = []


def array_of(column: Column, batch: ColumnBatch) -> pa.Array:
    """Return a column of a batch as Parquet has it."""
    values = batch.of(column)
    return pa.nulls(batch.size, arrow_type(column)) if values is None else _array(column, values)


def _array(column: Column, values: Values) -> pa.Array:
    match column.kind:
        case ColumnKind.RECORD:
            return _structs(column.fields, values)
        case ColumnKind.RECORDS:
            return _lists(values, partial(_structs, column.fields))
        case ColumnKind.RANKING:
            return _lists([one and parsed(one) for one in values], partial(_structs, RANKED))
        case ColumnKind.TEXTS:
            return _lists([one and parsed(one) for one in values], _strings)
    text = TEXTS.get(column.kind)
    strings = _strings([None if one is None else text(one) for one in values] if text else values)
    return strings.cast(arrow_type(column))


def _strings(values: Values) -> pa.Array:
    """Texts. Unlike `pa.array`, this does not load pandas, which takes 0.2 s of a processor and 100 MB."""
    builder = pa.lib.StringBuilder()
    builder.append_values(values)
    return builder.finish()


def _lists(values: Values, of_all: Callable[[Values], pa.Array]) -> pa.Array:
    """Lists, of whose members `of_all` makes one array."""
    ends = array("i", accumulate((len(value or ()) for value in values), initial=0))
    offsets = pa.Array.from_buffers(pa.int32(), len(ends), [None, pa.py_buffer(ends)])
    return pa.ListArray.from_arrays(
        offsets, of_all([one for value in values for one in value or ()]), mask=_missing(values)
    )


def _structs(fields: Sequence[Column], records: Values) -> pa.Array:
    """Records, by their fields: one after the other would take three times as long."""
    arrays = [_array(field, [one and one.get(field.name) for one in records]) for field in fields]
    return pa.StructArray.from_arrays(arrays, fields=list(arrow_schema(fields)), mask=_missing(records))


def _missing(values: Values) -> pa.Array:
    return _strings([yes_no_text(value is None) for value in values]).cast(pa.bool_())


RANKED = (text_column("system"), whole("rank"))
TEXTS: Mapping[ColumnKind, Text] = {
    ColumnKind.WHOLE: str, ColumnKind.NUMBER: lambda value: repr(float(value)), ColumnKind.YES_NO: yes_no_text,
    ColumnKind.TEXT_OR_JSON: text_or_json, ColumnKind.VALUE: value_text,
}  # fmt: skip
"""What writes values as texts, of which an array of the column's type is made; other values are such texts."""
