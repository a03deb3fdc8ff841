"""The sections `systems` and `judges` of a study file: what researchers say about the systems and judges of a study."""

from collections.abc import Callable, Mapping
from typing import Any

from config.text_validation import LONGEST_ID, TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted

Check = Callable[[Any, str], Any]


def checked_systems(value: Any, field: str) -> dict[str, dict[str, Any]] | None:
    """Return {system id: {family, model, baseline, generic}}, or None if absent. Raises FieldInvalidError."""
    return _described(value, field, {"family": _name, "model": _name, "baseline": _flag, "generic": _flag})


def checked_judges(value: Any, field: str) -> dict[str, dict[str, Any]] | None:
    """Return {rater's name: {family}}, or None if absent. Raises FieldInvalidError."""
    return _described(value, field, {"family": _name})


def _described(value: Any, field: str, checks: Mapping[str, Check]) -> dict[str, dict[str, Any]] | None:
    """Return the section without what is null or false, which means the same as absent."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise FieldInvalidError(field, "must be a mapping of names to what is known about them")
    found = {}
    for name, facts in value.items():
        try:
            place = f"{field}.{check_id(name, field)}"
        except TextRefusedError as problem:
            raise FieldInvalidError(problem.place, problem.reason) from None
        if not isinstance(facts, dict):
            raise FieldInvalidError(place, f"must be a mapping with some of {', '.join(checks)}")
        unknown = next((key for key in facts if key not in checks), None)
        if unknown is not None:
            raise FieldInvalidError(place, f"unknown key {quoted(unknown)}; known are {', '.join(checks)}")
        given = {key: checks[key](fact, f"{place}.{key}") for key, fact in facts.items() if fact is not None}
        found[name] = {key: fact for key, fact in given.items() if fact is not False}
    return found


def _name(value: Any, field: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_ID:
        raise FieldInvalidError(field, f"must be a text of 1 to {LONGEST_ID} characters")
    return value


def _flag(value: Any, field: str) -> bool:
    if not isinstance(value, bool):
        raise FieldInvalidError(field, "must be true or false")
    return value
