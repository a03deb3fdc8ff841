"""Pydantic models of files that people and programs write: strict, with errors that say what must be there instead."""

from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, WrapValidator, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

LONGEST_COMPARED = 60
INVALID = "invalid"
"""The type of the errors made here. Their messages reach the reader; pydantic's own messages are replaced."""


class StrictModel(BaseModel):
    """An object or mapping of a file. Unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def resembling(key: Any, known: Collection[str]) -> str | None:
    """Return the known key that an unknown one resembles most, for the sentence that refuses it; None if none does."""
    return next(iter(get_close_matches(str(key)[:LONGEST_COMPARED], known, 1)), None)


class SettingsModel(StrictModel):
    """The base of what a study declares: a section of its file, or a mapping in one.

    A key without a value is refused, because others read the section as it is stored. Fields say with `must_be` what is
    expected, validators of the model what depends on several fields, and `misfits` what depends on the rest of the
    file.
    """

    @model_validator(mode="before")
    @classmethod
    def check_keys(cls, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise invalid("must be a mapping of keys to values")
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value:
            if key not in known:
                close = resembling(key, known)
                advice = f'did you mean "{close}"?' if close else f"known are {', '.join(known)}"
                raise invalid(f"unknown key; {advice}", str(key))
            if value[key] is None:
                raise invalid("has no value: give one, or leave the key out", str(key))
        return value

    def misfits(self, facts: Any) -> Iterator[tuple[str, str]]:
        """Yield what does not fit the file with these facts: the keys that lead there, joined by dots, and the reason.

        `facts` are those of the file's kind, such as `annotation.studies.file_sections.FileFacts`.
        """
        yield from ()


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
