"""The files of a table, written from batches: JSONL, JSONL in which each column has one type, and CSV.

Parquet has a module of its own (`parquet_files.py`), because web processes must not load its library.
"""

from collections.abc import Callable, Sequence
from json.encoder import encode_basestring
from pathlib import Path
from typing import Protocol

from django.utils.module_loading import import_string

from annotation.typed_columns import Column
from files.tables.csv_cells import neutralise
from files.writing.column_batches import ColumnBatch, Text
from files.writing.column_texts import NULL, cell_text, json_text, quoted, typed_text
from files.writing.file_writers import Chunk, ChunkFile, WrittenFile

FORMATS = ("jsonl", "csv", "parquet")
SMALL_FORMATS = FORMATS[:2]
"""The formats that web processes can write: Parquet needs a library that only workers and commands load."""
PARQUET_FILE = "files.writing.parquet_files.ParquetFile"
Lines = Callable[[ColumnBatch], Chunk]
"""What makes the lines of a batch."""


class TableFile(Protocol):
    """A file of a table. Without rows there is none."""

    def add(self, batch: ColumnBatch) -> None:
        """Append rows."""

    def close(self) -> WrittenFile:
        """Close the file; say what was written."""


class LinesFile:
    """A file with a line per row."""

    def __init__(self, path: Path, lines: Lines, header: bytes = b"") -> None:
        self._file, self._lines = ChunkFile(path, header), lines

    def add(self, batch: ColumnBatch) -> None:
        """Append rows."""
        self._file.add(self._lines(batch))

    def close(self) -> WrittenFile:
        """Close the file; say what was written."""
        return self._file.close()


def table_file(path: Path, columns: Sequence[Column], form: str) -> TableFile:
    """Return a new file of a table with these columns, in one of FORMATS."""
    if form == "jsonl":
        return LinesFile(path, json_lines(columns))
    if form == "csv":
        return LinesFile(path, csv_lines(columns), csv_header(columns))
    file: TableFile = import_string(PARQUET_FILE)(path, columns)
    return file


def json_lines(columns: Sequence[Column]) -> Lines:
    """Return what writes objects: one per line, compact, without escapes and absent values, in the columns' order."""
    ways = [(column, column.beside or column.name, json_text(column)) for column in columns if not column.added]

    def written(batch: ColumnBatch) -> Chunk:
        told: dict[str, list[str | None]] = {}
        for column, key, text in ways:
            if (texts := batch.texts(column, text)) is not None:
                begin = f"{encode_basestring(key)}:"
                members = [one and begin + one for one in texts]
                above = told.get(key)
                told[key] = members if above is None else [own or one for own, one in zip(members, above, strict=True)]
        lines = ["{" + ",".join(filter(None, row)) + "}\n" for row in zip(*told.values(), strict=True)]
        return batch.size, "".join(lines).encode()

    return written


def typed_lines(columns: Sequence[Column]) -> Lines:
    """Return what writes objects with all of these columns, each with values of its one type or null."""
    ways = [(column, typed_text(column)) for column in columns]

    def written(batch: ColumnBatch) -> Chunk:
        told = [_texts(batch, column, text, f"{encode_basestring(column.name)}:", NULL) for column, text in ways]
        lines = ["{" + ",".join(row) + "}\n" for row in zip(*told, strict=True)]
        return batch.size, "".join(lines).encode()

    return written


def csv_lines(columns: Sequence[Column]) -> Lines:
    """Return the only writer of CSV: cells that a spreadsheet would run are neutralised, numbers are not."""
    ways = [(column, cell_text(column)) for column in columns]

    def written(batch: ColumnBatch) -> Chunk:
        told = [_texts(batch, column, text) for column, text in ways]
        lines = [",".join(row) + "\r\n" for row in zip(*told, strict=True)]
        return batch.size, "".join(lines).encode()

    return written


def _texts(batch: ColumnBatch, column: Column, text: Text, begin: str = "", absent: str = "") -> Sequence[str]:
    """The texts of a column, each after `begin`."""
    texts = batch.texts(column, text)
    if texts is None:
        return (begin + absent,) * batch.size
    return [begin + (absent if one is None else one) for one in texts]


def csv_header(columns: Sequence[Column]) -> bytes:
    """Return the first line of a CSV file."""
    return (",".join(quoted(neutralise(column.name)) for column in columns) + "\r\n").encode()
