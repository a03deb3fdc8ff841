"""Writers of exported files, for JSONL and CSV; each returns the digest of what it wrote."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from config.model_fields import canonical_json
from files.tables.csv_cells import neutralise, neutralise_json
from files.tables.csv_ways import JSON, MIXED, NUMBER

Chunk = tuple[int, bytes]
"""A number of lines, and their bytes."""
AT_ONCE = 500
"""So many lines are written at once."""
LARGE = 1 << 17
"""Bytes of a buffer: longer chunks pass it by."""
QUOTED = re.compile(r'[,;\t\r\n"]')
"""Cells with one of these are quoted: spreadsheets may split a line at any of the first three."""


@dataclass(frozen=True)
class WrittenFile:
    """A file of an export: the number of its lines (rows in CSV, None if not counted) and its SHA-256."""

    lines: int | None
    sha256: str


NOTHING_WRITTEN = WrittenFile(0, "")
"""What is returned for a table without rows, which has no file."""


class ChunkFile:
    """A file of lines that come as bytes, many at once. Without lines there is no file."""

    def __init__(self, path: Path, header: bytes = b"") -> None:
        self._path, self._header = path, header
        self._count, self._made = 0, hashlib.sha256(header)
        self._file: BinaryIO | None = None

    def add(self, chunk: Chunk) -> None:
        """Append lines."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb", buffering=LARGE)
            self._file.write(self._header)
        self._made.update(chunk[1])
        self._file.write(chunk[1])
        self._count += chunk[0]

    def close(self) -> WrittenFile:
        """Close the file; say what was written."""
        if self._file is None:
            return NOTHING_WRITTEN
        self._file.close()
        return WrittenFile(self._count, self._made.hexdigest())


def write_chunks(path: Path, chunks: Iterable[Chunk], header: bytes = b"") -> WrittenFile:
    """Write lines that come as bytes, many at once, unless there are none."""
    file = ChunkFile(path, header)
    try:
        for chunk in chunks:
            file.add(chunk)
    finally:
        written = file.close()
    return written


def as_chunks(lines: Iterable[str]) -> Iterator[Chunk]:
    """Put lines, line ends included, together as bytes."""
    rest = iter(lines)
    while some := list(islice(rest, AT_ONCE)):
        yield len(some), "".join(some).encode()


def json_chunks(lines: Iterable[Mapping[str, Any]]) -> Iterator[Chunk]:
    """One object per line, compact, without escapes, keys in the given order."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    return as_chunks(f"{encode(line)}\n" for line in lines)


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """Write objects as `json_chunks` does. Without lines there is no file."""
    return write_chunks(path, json_chunks(lines))


def write_csv(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """The only writer of CSV: cells and headers that a spreadsheet would run are neutralised, numbers are not.

    `columns` gives each column's way of writing, in the words of `files.reading.csv_tables`. Without rows there
    is no file.
    """
    header = _row(neutralise(name) for name in columns)
    ways = list(columns.items())
    lines = (_row(cell(row.get(name), how) for name, how in ways) for row in rows)
    return write_chunks(path, as_chunks(lines), header.encode())


def _row(cells: Iterable[str]) -> str:
    return ",".join(map(_quoted, cells)) + "\r\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def cell(value: Any, how: str) -> str:
    """A value as a cell; an absent value is empty."""
    if value is None:
        return ""
    if how in (JSON, NUMBER) or not isinstance(value, str):
        return neutralise_json(canonical_json(value))
    if how == MIXED and value[:1] in ("[", '"'):
        return neutralise_json(canonical_json(value))
    return neutralise(value)


def write_text(path: Path, text: str) -> WrittenFile:
    """A text with its line ends unchanged."""
    path.parent.mkdir(exist_ok=True)
    data = text.encode()
    path.write_bytes(data)
    return WrittenFile(None, hashlib.sha256(data).hexdigest())
