"""Copies of JSONL tables for loaders that want every column in each line, with one type.

Hugging Face's `datasets` before 4.8 is one of them: `docs/formats.md`. The copies have the columns of Parquet, but for
those without any value, and are in the folder `typed`. They follow from the tables beside them, so an import ignores
them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.typed_columns import Column
from files.writing.column_encoders import encoder, unchanged
from files.writing.file_writers import WrittenFile, write_jsonl
from files.writing.table_list import Line

FOLDER = "typed"
RowOf = Callable[[Mapping[str, Any]], Line]


@dataclass(frozen=True)
class TypedCopy:
    """A copy that was written: its name in the exported folder, its lines and digest, and its columns."""

    name: str
    file: WrittenFile
    columns: Sequence[Column]


def write_typed_copy(folder: Path, name: str, columns: Sequence[Column], row_of: RowOf) -> TypedCopy:
    """Write the copy of the table `name` of an exported folder."""
    source = folder / name
    present: set[str] = set()
    for line in _lines(source):
        present.update(row_of(line))
    own = [column for column in columns if column.name in present]
    ways = [(column.name, encoder(column, unchanged)) for column in own]
    rows = (_row(row_of(line), ways) for line in _lines(source))
    return TypedCopy(f"{FOLDER}/{name}", write_jsonl(folder / FOLDER / name, rows), own)


def _lines(path: Path) -> Iterator[Line]:
    with path.open("rb") as file:
        yield from map(json.loads, file)


def _row(row: Line, ways: Sequence[tuple[str, Callable[[Any], Any]]]) -> Line:
    return {name: None if row.get(name) is None else encode(row[name]) for name, encode in ways}
