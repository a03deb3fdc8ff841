"""Writers of exported files, for JSONL and CSV; each returns the digest of what it wrote."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.importing.csv_cells import neutralise, neutralise_json
from annotation.importing.csv_tables import JSON, MIXED, NUMBER
from config.model_fields import canonical_json

AT_ONCE = 500
"""So many lines are written at once."""
QUOTED = re.compile(r'[,;\t\r\n"]')
"""Cells with one of these are quoted: spreadsheets may split a line at any of the first three."""


@dataclass(frozen=True)
class WrittenFile:
    """A file of an export: the number of its lines (rows in CSV, None if not counted) and its SHA-256."""

    lines: int | None
    sha256: str


NOTHING_WRITTEN = WrittenFile(0, "")
"""What is returned for a table without rows, which has no file."""


def write_lines(path: Path, lines: Iterable[str], header: str = "") -> WrittenFile:
    """Write lines, many at once, unless there are none."""
    count, made, rest = 0, hashlib.sha256(), iter(lines)
    some = list(islice(rest, AT_ONCE))
    if not some:
        return NOTHING_WRITTEN
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb", buffering=0) as file:
        made.update(header.encode())
        file.write(header.encode())
        while some:
            data = "".join(some).encode()
            made.update(data)
            file.write(data)
            count += len(some)
            some = list(islice(rest, AT_ONCE))
    return WrittenFile(count, made.hexdigest())


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """One object per line, compact, without escapes, keys in the given order. Without lines there is no file."""
    return write_lines(path, json_texts(lines))


def json_texts(lines: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Return the lines of JSONL, line ends included."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    return (f"{encode(line)}\n" for line in lines)


def write_csv(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """The only writer of CSV: cells and headers that a spreadsheet would run are neutralised, numbers are not.

    `columns` gives each column's way of writing, in the words of `annotation.importing.csv_tables`. Without rows there
    is no file.
    """
    header = _row(neutralise(name) for name in columns)
    ways = list(columns.items())
    return write_lines(path, (_row(cell(row.get(name), how) for name, how in ways) for row in rows), header)


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
