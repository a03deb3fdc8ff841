"""Question types: one module each, found by the registry.

A type knows its keys in the study file, how a value is read from a form, which values people and machines
may give, and on which level of measurement its values stand. Its template is `questions/<key>.html`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from annotation.answers import Form, Sheet, Shown
from config.registry import discover

COMMON_KEYS = frozenset({"per", "when"})


class SpecInvalidError(ValueError):
    """A question of a study file that cannot be asked; the message names the key and the mend."""


class ValueInvalidError(ValueError):
    """An answer that does not fit its question; the message is a sentence for whoever gave it."""


class QuestionType(ABC):
    """What one type of question knows. Instances have no state."""

    key: str
    level: str
    spec_keys: frozenset[str] = frozenset()
    needs_outputs = False
    """Whether `check_shown` looks at the outputs shown; only then is it asked about imported values."""
    needs_texts = False
    """Whether `check_shown` looks at the texts of the outputs and of the document."""

    @property
    def template(self) -> str:
        return f"questions/{self.key}.html"

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        """Raise SpecInvalidError where the keys that are this type's own do not make sense."""

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        """The value of one form field's raw strings, None where nothing was given; it is checked afterwards."""
        return raw[-1] if raw and raw[-1] else None

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        """The value that a posted form gives in the field `name`, or in several whose names begin so.

        None where nothing was given; raises ValueInvalidError for what is no value at all.
        """
        return self.from_form(form.get(name, []), spec)

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        """The form fields that `read` reads `value` from."""
        return {name: self.to_form(value)}

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        """What the type's template shows: `choices`, the chosen ones marked, and the raw `value`."""
        given = form.get(name, [])
        choices = [{**choice, "chosen": choice["value"] in given} for choice in self.choices(spec)]
        return {"choices": choices, "value": given[-1] if given else ""}

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        """Raise ValueInvalidError where a value that `check` took does not fit the outputs shown.

        A value from a file may be about some of the item's outputs only. The message may name keys of outputs
        where a form cannot lead to it: raters must not read them.
        """

    def check_options(self, value: Any, spec: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Raise ValueInvalidError where an imported value does not keep to the study's options."""

    def unanswered(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> list[Shown]:
        """The outputs shown about which a value from a form says nothing, though a required question needs it."""
        return []

    def to_form(self, value: Any) -> list[str]:
        """The raw strings of a form field that give `value` again."""
        if isinstance(value, bool):
            return ["true" if value else "false"]
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]

    @abstractmethod
    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        """Return the value that a person gave, or raise ValueInvalidError. Nothing is converted."""

    def check_machine(self, value: Any, spec: Mapping[str, Any]) -> Any:
        """Return the value that a model or metric gave; types that know no numbers ask what they ask of people."""
        return self.check(value, spec)

    def number(self, value: Any) -> float | None:
        """The value as a float where it is a number, for the statistics."""
        return None

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float] | None:
        """Least and greatest number of the scale, None where there is none."""
        return None

    def off_scale(self, value: Any, spec: Mapping[str, Any]) -> bool:
        """Whether a machine's number lies outside the scale."""
        number, scale = self.number(value), self.scale(spec)
        return number is not None and scale is not None and not scale[0] <= number <= scale[1]

    def takes_ties(self, spec: Mapping[str, Any]) -> bool:
        """Whether an answer that compares outputs may call two of them equally good."""
        return True

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What a form offers: `value` (as sent), `label`, `key` (the keyboard's), in order."""
        return []


def finite_number(value: Any) -> float:
    """The number that a machine gave, booleans as 0 and 1; raises ValueInvalidError for anything else."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            raise ValueInvalidError("must be a number that a double can hold") from None
        if math.isfinite(number):
            return number
    raise ValueInvalidError("must be a finite number")


def question_types() -> Mapping[str, QuestionType]:
    """All question types by key."""
    return discover("questions", "QUESTION_TYPE")


def question_type_choices() -> list[tuple[str, str]]:
    """For the model field: written to migrations by reference, so that a new type makes none."""
    return [(key, key) for key in question_types()]
