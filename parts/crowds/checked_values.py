"""Values of a study file that recruiters and public links declare, each checked with a sentence that says why not."""

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from files.import_problems import FieldInvalidError, unknown

MOST_MINUTES = 7 * 24 * 60


def checked_mapping(value: Any, field: str, known: Collection[str]) -> dict[str, Any]:
    """Return `value` if it is a mapping with these keys only. Raises FieldInvalidError, as all of these do."""
    if not isinstance(value, dict):
        raise FieldInvalidError(field, "must be a mapping of keys to values")
    for key in value:
        if key not in known:
            raise FieldInvalidError(f"{field}.{key}", unknown("key", key, known))
    return value


def checked_list(given: Mapping[str, Any], key: str, field: str, most: int) -> list[Any]:
    """Return the list under `key`, empty if it is not given."""
    value = given.get(key, [])
    if not isinstance(value, list) or len(value) > most:
        raise FieldInvalidError(f"{field}.{key}", f"must be a list of at most {most}")
    return value


def checked_text(given: Mapping[str, Any], key: str, field: str, longest: int) -> None:
    """Refuse what is not a text under `key`."""
    if key in given:
        value = given[key]
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            raise FieldInvalidError(f"{field}.{key}", f"must be a text of at most {longest} characters")


def checked_number(given: Mapping[str, Any], key: str, field: str, most: float) -> None:
    """Refuse what is not a number from 0 to `most` under `key`."""
    if key in given:
        value = given[key]
        if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= most:
            raise FieldInvalidError(f"{field}.{key}", f"must be a number from 0 to {most}")


def checked_minutes(given: Mapping[str, Any], field: str) -> None:
    """Refuse what is not a number of minutes under `minutes`."""
    if "minutes" in given and (type(given["minutes"]) is not int or not 1 <= given["minutes"] <= MOST_MINUTES):
        raise FieldInvalidError(f"{field}.minutes", f"must be a whole number from 1 to {MOST_MINUTES}")


def matching(value: Any, pattern: re.Pattern[str], field: str) -> None:
    """Refuse what is not a text of this form."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise FieldInvalidError(field, "must be a short text of plain letters and digits")
