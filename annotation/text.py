"""The one validator of text and JSON that comes from outside.

PostgreSQL cannot store NUL, neither database can store a lone surrogate, and JSON has no NaN: what one
database accepts and the other refuses could not be moved between them. Nothing is trimmed or normalised.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

DEEPEST = 32
MOST_KEYS = 1000
LONGEST_ID = 200


class TextRefusedError(ValueError):
    """A text or value that cannot be stored; the message says where it stands and what is wrong."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


def check_text(value: str, place: str = "") -> str:
    """Return `value`, or raise TextRefusedError where it holds NUL or a lone surrogate."""
    if "\x00" in value:
        raise TextRefusedError(place, "holds the character NUL, which cannot be stored")
    try:
        value.encode()
    except UnicodeEncodeError as problem:
        raise TextRefusedError(
            place, f"holds half of a surrogate pair (U+{ord(value[problem.start]):04X}), which is no character"
        ) from None
    return value


def check_json(value: Any, place: str = "", depth: int = 0) -> Any:
    """Return `value`, or raise TextRefusedError for a string, key or number inside it that cannot be stored."""
    if isinstance(value, str):
        check_text(value, place)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise TextRefusedError(place, "is not a finite number")
    elif isinstance(value, dict | list):
        if depth >= DEEPEST:
            raise TextRefusedError(place, f"is nested deeper than {DEEPEST} levels")
        if len(value) > MOST_KEYS and isinstance(value, dict):
            raise TextRefusedError(place, f"has more than {MOST_KEYS} keys")
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            if isinstance(key, str):
                check_text(key, f"a key of {place}" if place else "a key")
            check_json(inner, f"{place}.{key}" if place else str(key), depth + 1)
    return value


def check_id(value: Any, place: str) -> str:
    """Return an id: any text of 1 to 200 characters without control characters."""
    if not isinstance(value, str):
        raise TextRefusedError(place, "must be text")
    if not 1 <= len(value) <= LONGEST_ID:
        raise TextRefusedError(place, f"must have 1 to {LONGEST_ID} characters")
    check_text(value, place)
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        raise TextRefusedError(place, "must not hold control characters")
    return value


def time_text(moment: datetime | None) -> str | None:
    """A time as files show it: in UTC, to the microsecond."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def given(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a file without what is absent."""
    return {key: value for key, value in line.items() if value is not None}
