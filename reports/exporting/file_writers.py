"""Writers of exported files, for JSONL and CSV; each returns the digest of what it wrote."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.importing.csv_cells import neutralise, neutralise_json
from annotation.importing.csv_tables import JSON, MIXED, NUMBER
from config.model_fields import canonical_json

QUOTED = re.compile(r'[,;\t\r\n"]')
"""Cells with one of these are quoted: spreadsheets may split a line at any of the first three."""


@dataclass(frozen=True)
class WrittenFile:
    """A file of an export: the number of its lines (rows in CSV, None if not counted) and its SHA-256."""

    lines: int | None
    sha256: str


class _Hashed:
    """A file whose digest is computed while it is written."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")
        self.hash = hashlib.sha256()

    def write(self, text: str) -> int:
        data = text.encode()
        self.hash.update(data)
        return self.file.write(data)


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """One object per line, compact, without escapes, keys in the given order."""
    count = 0
    made = _Hashed(path)
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    with made.file:
        for line in lines:
            made.write(encode(line) + "\n")
            count += 1
    return WrittenFile(count, made.hash.hexdigest())


def write_csv(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """The only writer of CSV: cells and headers that a spreadsheet would run are neutralised, numbers are not.

    `columns` gives each column's way of writing, in the words of `annotation.importing.csv_tables`.
    """
    count = 0
    made = _Hashed(path)
    with made.file:
        made.write(_row(neutralise(name) for name in columns))
        for row in rows:
            made.write(_row(cell(row.get(name), how) for name, how in columns.items()))
            count += 1
    return WrittenFile(count, made.hash.hexdigest())


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
