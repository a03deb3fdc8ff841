"""The writers of exported files: one for JSONL, one for CSV, each with the digest of what it wrote."""

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.importing.cells import neutralise
from annotation.importing.tables import JSON, MIXED, NUMBER
from config.fields import canonical_json


@dataclass(frozen=True)
class Written:
    """A file of an export: its lines (rows in CSV; None where they are not counted) and its SHA-256."""

    lines: int | None
    sha256: str


class _Hashed:
    """A file under way, whose digest is taken as it is written."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("wb")
        self.hash = hashlib.sha256()

    def write(self, text: str) -> int:
        data = text.encode()
        self.hash.update(data)
        return self.file.write(data)


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> Written:
    """One object a line, compact, characters as they are, keys in the order given."""
    count = 0
    made = _Hashed(path)
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    with made.file:
        for line in lines:
            made.write(encode(line) + "\n")
            count += 1
    return Written(count, made.hash.hexdigest())


def write_csv(path: Path, columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> Written:
    """The only writer of CSV: cells and headers that a spreadsheet would run are neutralised, numbers are not.

    `columns` says how each column is written, in the words of `annotation.importing.tables`.
    """
    count = 0
    made = _Hashed(path)
    with made.file:
        writer = csv.writer(made)
        writer.writerow([neutralise(name) for name in columns])
        for row in rows:
            writer.writerow([cell(row.get(name), how) for name, how in columns.items()])
            count += 1
    return Written(count, made.hash.hexdigest())


def cell(value: Any, how: str) -> str:
    """A value as a cell; absent is empty."""
    if value is None:
        return ""
    if how in (JSON, NUMBER) or not isinstance(value, str):
        return canonical_json(value)
    if how == MIXED and value[:1] in ("[", '"'):
        return canonical_json(value)
    return neutralise(value)


def write_text(path: Path, text: str) -> Written:
    """A text, its line ends as they are."""
    path.parent.mkdir(exist_ok=True)
    data = text.encode()
    path.write_bytes(data)
    return Written(None, hashlib.sha256(data).hexdigest())
