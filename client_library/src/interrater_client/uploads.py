"""Bodies of uploads: rows or a JSONL file, cut into parts that the server takes in one request each."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from interrater_client.decoding import encoded

MOST_BYTES = 8 * 1024 * 1024
MOST_LINES = 20_000
Rows = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""The path of a JSONL file, or rows."""


def _lines(rows: Rows) -> Iterator[bytes]:
    if isinstance(rows, str | os.PathLike):
        with Path(rows).open("rb") as file:
            for line in file:
                if line.strip():
                    yield line if line.endswith(b"\n") else line + b"\n"
        return
    for row in rows:
        yield encoded(row) + b"\n"


@contextmanager
def parts_of(rows: Rows, most_bytes: int = MOST_BYTES, most_lines: int = MOST_LINES) -> Iterator[Iterator[Path]]:
    """Yield the parts as files, each of which exists until the next one is asked for, or the block ends.

    So memory holds one line at a time, and a part can be sent again. Without rows there is one empty part, so that the
    server is asked anyway.
    """
    with tempfile.TemporaryDirectory(prefix="interrater-upload-") as folder:
        yield _parts(_lines(rows), Path(folder) / "part.jsonl", most_bytes, most_lines)


def _parts(lines: Iterator[bytes], path: Path, most_bytes: int, most_lines: int) -> Iterator[Path]:
    line, is_first = next(lines, None), True
    while line is not None or is_first:
        count = size = 0
        with path.open("wb") as file:
            while line is not None and (count == 0 or (count < most_lines and size + len(line) <= most_bytes)):
                file.write(line)
                count, size = count + 1, size + len(line)
                line = next(lines, None)
        is_first = False
        yield path
