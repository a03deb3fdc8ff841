"""JSON and JSONL, read strictly and written compactly."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def decoded(body: bytes) -> Any:
    """The JSON value in `body`; None if there is none."""
    try:
        return json.loads(body)
    except ValueError:
        return None


def encoded(value: Any) -> bytes:
    """`value` as JSON. Refuses NaN and infinities, which are no JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def lines_of(path: Path) -> Iterator[Any]:
    """The values of a JSONL file."""
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
