"""Copies of JSONL tables for loaders that want every column in each line, with one type.

Hugging Face's `datasets` before 4.8 is one of them: `docs/formats.md`. The copies have the columns of Parquet, but for
those without any value, and are in the folder `typed`. They follow from the tables beside them, so an import ignores
them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.typed_columns import Column
from files.writing.column_batches import ColumnBatch, batches_of
from files.writing.file_writers import WrittenFile
from files.writing.table_files import LinesFile, typed_lines
from files.writing.table_list import TableRows

FOLDER = "typed"


@dataclass(frozen=True)
class TypedCopy:
    """A copy that was written: its name in the exported folder, its lines and digest, and its columns."""

    name: str
    file: WrittenFile
    columns: Sequence[Column]


class CopyFile:
    """The copy of a table, written beside it with the columns that the first rows have.

    If a later row has a value in another one, the copy is written again in the end. Rows of a table are alike, so that
    this is rare, and nobody has to read them twice to know which columns have values.
    """

    def __init__(self, folder: Path, table: TableRows) -> None:
        self._table, self._name = table, f"{FOLDER}/{table.key}.jsonl"
        self._path, self._empty = folder / self._name, list(table.columns)
        self._file: LinesFile | None = None
        self._has_all = True

    def add(self, batch: ColumnBatch) -> None:
        """Append rows."""
        empty = [column for column in self._empty if not _has_some(batch, column)]
        if self._file is None:
            self._empty, self._file = empty, self._new_file(empty)
        self._has_all = self._has_all and len(empty) == len(self._empty)
        self._empty = empty
        if self._has_all:
            self._file.add(batch)

    def close(self) -> TypedCopy | None:
        """Close the file; say what was written, if there are rows."""
        if self._file is None:
            return None
        written = self._file.close()
        if not self._has_all:
            file = self._new_file(self._empty)
            for batch in self._table.batches():
                file.add(batch)
            written = file.close()
        return TypedCopy(self._name, written, self._columns(self._empty))

    def _columns(self, empty: Sequence[Column]) -> list[Column]:
        return [column for column in self._table.columns if column not in empty]

    def _new_file(self, empty: Sequence[Column]) -> LinesFile:
        return LinesFile(self._path, typed_lines(self._columns(empty)))


def _has_some(batch: ColumnBatch, column: Column) -> bool:
    return any(value is not None for value in batch.of(column) or ())


def copy_of_lines(folder: Path, table: TableRows, path: Path) -> TypedCopy | None:
    """Write the copy of a table that is not large from its file of JSONL: making its lines again may take long."""

    def batches() -> Iterator[ColumnBatch]:
        with path.open("rb") as file:
            yield from batches_of(table.columns, map(table.row_of, map(json.loads, file)))

    copy = CopyFile(folder, replace(table, batches=batches))
    for batch in batches():
        copy.add(batch)
    return copy.close()
