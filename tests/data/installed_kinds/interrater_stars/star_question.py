"""A question type of another package: one to five stars."""

from collections.abc import Mapping
from typing import Any

from annotation.questions import QuestionType, ValueInvalidError, finite_number


class Stars(QuestionType):
    """A whole number from 1 to 5."""

    key = "stars"
    level = "interval"

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        given = raw[-1] if raw else ""
        return int(given) if given in {choice["value"] for choice in self.choices(spec)} else given or None

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if type(value) is not int or not 1 <= value <= 5:
            raise ValueInvalidError("must be 1 to 5 stars")
        return value

    def number(self, value: Any) -> float | None:
        return finite_number(value)

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float]:
        return (1.0, 5.0)

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [{"value": str(stars), "label": "\N{BLACK STAR}" * stars, "key": str(stars)} for stars in range(1, 6)]


QUESTION_TYPE = Stars()
