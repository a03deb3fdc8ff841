"""Pydantic models of files that people and programs write: strict, with errors that say what must be there instead."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator
from pydantic_core import ErrorDetails, PydanticCustomError

INVALID = "invalid"
"""The type of the errors made here. Their messages reach the reader; pydantic's own messages are replaced."""


class StrictModel(BaseModel):
    """An object or mapping of a file. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def invalid(reason: str, *place: str | int) -> PydanticCustomError:
    """Make the error for a value that is not allowed; `place` leads from the validated value to the wrong one."""
    return PydanticCustomError(INVALID, "{reason}", {"reason": reason, "place": place})


def place_of(error: ErrorDetails) -> list[str]:
    """Return the keys that lead to a wrong value."""
    place = (*error["loc"], *error.get("ctx", {}).get("place", ()))
    return [str(key) for key in place if key != "[key]"]


def must_be(expected: str, allowed: Callable[[Any], bool] = lambda value: True) -> WrapValidator:
    """Validate a value as its type says, and by `allowed`; any failure says what was expected."""

    def check(given: Any, validate: Callable[[Any], Any]) -> Any:
        try:
            value = validate(given)
        except ValidationError:
            raise invalid(f"must be {expected}") from None
        if value is None or not allowed(value):
            raise invalid(f"must be {expected}")
        return value

    return WrapValidator(check)


def whole(least: int, most: int) -> WrapValidator:
    """Allow whole numbers from `least` to `most`."""
    return must_be(f"a whole number from {least} to {most}", lambda value: least <= value <= most)
