"""The one validator of text and JSON from outside.

PostgreSQL cannot store NUL, neither database can store a lone surrogate, and JSON has no NaN. Values that only one
database accepts could not be moved to the other. Nothing is trimmed or normalised.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext

DEEPEST = 32
MOST_KEYS = 1000
LONGEST_ID = 200


class TextRefusedError(ValueError):
    """A text or value cannot be stored; the message says where it is and what is wrong."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason


def check_text(value: str, place: str = "") -> str:
    """Return `value`. Raises TextRefusedError if it contains NUL or a lone surrogate."""
    if "\x00" in value:
        raise TextRefusedError(place, gettext("contains the character NUL, which cannot be stored"))
    try:
        value.encode()
    except UnicodeEncodeError as problem:
        raise TextRefusedError(
            place,
            gettext("contains half of a surrogate pair (U+%(code)s), which is not a character")
            % {"code": f"{ord(value[problem.start]):04X}"},
        ) from None
    return value


def with_escapes(text: str) -> str:
    """Return `text` in a form that can be stored: NUL and lone surrogates become escapes such as \\x00."""
    try:
        return check_text(text)
    except TextRefusedError:
        return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def with_marks(text: str) -> str:
    """Return `text` with a mark in place of each character that cannot be stored: for display, never for answers."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def check_json(value: Any, place: str = "", depth: int = 0) -> Any:
    """Return `value`. Raises TextRefusedError if a string, key or number in it cannot be stored."""
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
    """Return an id: a text of 1 to 200 characters without control characters. Raises TextRefusedError."""
    if not isinstance(value, str):
        raise TextRefusedError(place, "must be text")
    if not 1 <= len(value) <= LONGEST_ID:
        raise TextRefusedError(place, f"must have 1 to {LONGEST_ID} characters")
    check_text(value, place)
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value):
        raise TextRefusedError(place, "must not contain control characters")
    return value


def time_text(moment: datetime | None) -> str | None:
    """Return a time as files show it: in UTC, to the microsecond."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def given(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of a file without its empty fields."""
    return {key: value for key, value in line.items() if value is not None}
