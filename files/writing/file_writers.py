"""Files of lines and texts, and the digests of what was written."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

Chunk = tuple[int, bytes]
"""A number of lines, and their bytes."""
AT_ONCE = 500
"""So many lines are written at once."""
LARGE = 1 << 17
"""Bytes of a buffer: longer chunks pass it by."""


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


def write_jsonl(path: Path, lines: Iterable[Mapping[str, Any]]) -> WrittenFile:
    """Write one object per line, compact, without escapes, keys in the given order. Without lines there is no file."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    file, rest = ChunkFile(path), iter(lines)
    try:
        while some := list(islice(rest, AT_ONCE)):
            file.add((len(some), "".join(f"{encode(line)}\n" for line in some).encode()))
    finally:
        written = file.close()
    return written


def write_text(path: Path, text: str) -> WrittenFile:
    """A text with its line ends unchanged."""
    path.parent.mkdir(exist_ok=True)
    data = text.encode()
    path.write_bytes(data)
    return WrittenFile(None, hashlib.sha256(data).hexdigest())
