"""Checks of fields that lines of several tables share. Absent fields are None."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from config.text_validation import LONGEST_ID, TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted, unknown

GREATEST = 2**31 - 1
LONGEST_RUN = 200


def moment(body: Mapping[str, Any], field: str) -> datetime | None:
    """Return a time in ISO 8601 with its offset from UTC, as an aware datetime in UTC."""
    value = body.get(field)
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
        if time.tzinfo is None:
            raise FieldInvalidError(field, "must include the offset from UTC, as in 2026-03-01T12:00:00Z")
        return time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as problem:
        if isinstance(problem, FieldInvalidError):
            raise
        raise FieldInvalidError(field, "must be a time in ISO 8601, as in 2026-03-01T12:00:00Z") from None


def seconds(body: Mapping[str, Any], field: str) -> float | None:
    """Return a duration: a finite number, not below zero."""
    value = body.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FieldInvalidError(field, "must be a number of seconds")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise FieldInvalidError(field, "must be a number of seconds, 0 or more")
    return number


def share(body: Mapping[str, Any], field: str) -> float | None:
    """Return a number from 0 to 1."""
    value = body.get(field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise FieldInvalidError(field, "must be a number from 0 to 1")
    return float(value)


def whole(body: Mapping[str, Any], field: str, least: int = 0, greatest: int = GREATEST) -> int | None:
    """Return a whole number within the range of both databases."""
    value = body.get(field)
    if value is None:
        return None
    if type(value) is not int or not least <= value <= greatest:
        raise FieldInvalidError(field, f"must be a whole number from {least} to {greatest}")
    return value


def text(body: Mapping[str, Any], field: str, longest: int | None = None) -> str | None:
    """Return a text of at most `longest` characters."""
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise FieldInvalidError(field, "must be text")
    if longest is not None and len(value) > longest:
        raise FieldInvalidError(field, f"must have at most {longest} characters")
    return value


def flag(body: Mapping[str, Any], field: str) -> bool:
    """Return True or False; absent is False."""
    value = body.get(field)
    if value is not None and not isinstance(value, bool):
        raise FieldInvalidError(field, "must be true or false")
    return bool(value)


def mapping(body: Mapping[str, Any], field: str) -> dict[str, Any] | None:
    """Return an object."""
    value = body.get(field)
    if value is not None and not isinstance(value, dict):
        raise FieldInvalidError(field, "must be an object")
    return value


def counts(body: Mapping[str, Any], field: str) -> dict[str, int] | None:
    """Return an object of whole numbers, 0 or more."""
    found = mapping(body, field)
    for name in found or {}:
        try:
            given = whole(found or {}, name)
        except FieldInvalidError as problem:
            raise FieldInvalidError(f"{field}.{name}", problem.reason) from None
        if given is None:
            raise FieldInvalidError(f"{field}.{name}", "must be a whole number, 0 or more")
    return found


def keys(body: Mapping[str, Any], field: str) -> list[str] | None:
    """Return a list of different output ids."""
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value) or len(set(value)) != len(value):
        raise FieldInvalidError(field, "must be a list of different output ids")
    return value


def identifier(value: Any, field: str) -> str:
    """Return an id, which is required."""
    # The fast path: most ids are printable ASCII.
    if type(value) is str and value.isascii() and value.isprintable() and 0 < len(value) <= LONGEST_ID:
        return value
    if value is None:
        raise FieldInvalidError(field, "is missing")
    try:
        return check_id(value, field)
    except TextRefusedError as problem:
        raise FieldInvalidError(problem.place, problem.reason) from None


def only(body: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise FieldInvalidError if the line has a key that is not `known`."""
    if not body.keys() <= known:
        strange = next(key for key in body if key not in known)
        raise FieldInvalidError(quoted(strange), unknown("key", strange, known))


def version(body: Mapping[str, Any], known: frozenset[int]) -> int | None:
    """Return the guidelines version of a judgment. If the study has guidelines, they must include that version."""
    number = whole(body, "guidelines_version", 1)
    if number is not None and known and number not in known:
        raise FieldInvalidError("guidelines_version", f"{number} is not a version of this study's guidelines")
    return number
