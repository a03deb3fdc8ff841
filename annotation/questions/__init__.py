"""Question types: one module per type, found by the registry.

A type defines its keys in the study file, how to read a value from a form, which values people and machines
may give, and its level of measurement. Its template is `questions/<key>.html`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from annotation.answers import Form, Sheet, ShownOutput
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, anything, number
from config.installed_kinds import QUESTION_TYPES
from config.registry import discover

COMMON_KEYS = frozenset({"per", "when"})
LARGEST_EXACT = 2**53
"""From here on not every whole number is a double."""
MOST_LISTED = 1000
"""The most steps of a scale that are listed one by one."""


class SpecInvalidError(ValueError):
    """A question of a study file is invalid; the message names the key and says how to fix it."""


class ValueInvalidError(ValueError):
    """An answer does not fit its question; the message is written for its author."""


class QuestionType(ABC):
    """A type of question. Instances have no state."""

    key: str
    label: str = ""
    """The type's name on the page that builds a study; by default its key."""
    level: str
    spec_keys: frozenset[str] = frozenset()
    spec_fields: tuple[SpecField, ...] = ()
    """The fields of `spec_keys` on the page that builds a study, in their order there."""
    has_icc = False
    """Whether its values are measurements on a fine scale, whose agreement also has an intraclass correlation."""
    needs_outputs = False
    """Whether `check_shown` needs the outputs shown; otherwise imported values skip it."""
    needs_texts = False
    """Whether `check_shown` needs the texts of the outputs and the document."""
    shows_texts = False
    """Whether the form shows more of the task than its outputs' letters; otherwise an empty form is kept for others."""

    @property
    def template(self) -> str:
        return f"questions/{self.key}.html"

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        """Raise SpecInvalidError if the type's own keys are invalid."""

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        """Return the value of a form field's raw strings, unchecked, or None if the field is empty."""
        return raw[-1] if raw and raw[-1] else None

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        """Return the value of a posted form's field `name`, or of fields whose names begin with it; None if empty.

        Raises ValueInvalidError if the fields cannot be read.
        """
        return self.from_form(form.get(name, []), spec)

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        """Return the form fields from which `read` reads `value`."""
        return {name: self.to_form(value)}

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        """Return the context of the type's template: `choices` with the chosen ones marked, and the raw `value`."""
        given = form.get(name, [])
        choices = [{**choice, "chosen": choice["value"] in given} for choice in self.choices(spec)]
        return {"choices": choices, "value": given[-1] if given else ""}

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        """Raise ValueInvalidError if a value that `check` accepted does not fit the outputs shown.

        A value from a file may cover only some of the item's outputs. The message may name output keys only if no
        form can cause it, because raters must not see them.
        """

    def check_options(self, value: Any, spec: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """Raise ValueInvalidError if an imported value violates the study's options."""

    def unanswered(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> list[ShownOutput]:
        """Return the outputs that a value from a form leaves unanswered although the question requires them."""
        return []

    def to_form(self, value: Any) -> list[str]:
        """Return the raw form strings from which `value` is read."""
        if isinstance(value, bool):
            return ["true" if value else "false"]
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]

    @abstractmethod
    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        """Return a person's value unchanged, or raise ValueInvalidError."""

    def check_machine(self, value: Any, spec: Mapping[str, Any]) -> Any:
        """Return a machine's value unchanged; types without numbers apply the same check as for people."""
        return self.check(value, spec)

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        """Return the most characters that a form can send in this question's fields for `sheet`."""
        return sum(len(choice["value"]) for choice in self.choices(spec))

    def number(self, value: Any) -> float | None:
        """Return the value as a float for the statistics, or None if it is not a number."""
        return None

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float] | None:
        """Return the smallest and largest number of the scale, or None without a scale."""
        return None

    def step(self, spec: Mapping[str, Any]) -> float | None:
        """Return how far apart the numbers of the scale are, or None if any number between its ends is an answer."""
        return 1.0

    def steps(self, spec: Mapping[str, Any]) -> tuple[int | float, ...]:
        """Return the numbers of the scale in order; none without a scale, or if they are too many to list."""
        scale, step = self.scale(spec), self.step(spec)
        if scale is None or step is None:
            return ()
        low, high, by = (Fraction(repr(number)) for number in (*scale, step))
        if (high - low) / by > MOST_LISTED:
            return ()
        numbers = (low + place * by for place in range(int((high - low) / by) + 1))
        return tuple(int(number) if number.denominator == 1 else float(number) for number in numbers)

    def far_apart(self, spec: Mapping[str, Any]) -> float:
        """Return how far two numbers of the scale must be apart to count as a disagreement."""
        scale = self.scale(spec)
        return 1.0 if scale is None or scale[1] - scale[0] > 1 else 0.5

    def off_scale(self, value: Any, spec: Mapping[str, Any]) -> bool:
        """Return whether a machine's number is outside the scale."""
        number, scale = self.number(value), self.scale(spec)
        return number is not None and scale is not None and not scale[0] <= number <= scale[1]

    def takes_ties(self, spec: Mapping[str, Any]) -> bool:
        """Return whether an answer that compares outputs may call two of them equally good."""
        return True

    def takes_several(self, spec: Mapping[str, Any]) -> bool:
        """Return whether an answer is a list of choices instead of one of them."""
        return False

    def worst_rank(self, spec: Mapping[str, Any]) -> int | None:
        """Return the worst rank that an answer may give, or None if answers have no ranks."""
        return None

    def in_words(self, value: Any, spec: Mapping[str, Any]) -> str:
        """Return a value in a few words for a list of the rater's own answers, or "".

        A value that names outputs has none: their keys name systems.
        """
        if self.needs_outputs or isinstance(value, dict):
            return ""
        labels = {choice["value"]: choice["label"] or choice["value"] for choice in self.choices(spec)}
        return ", ".join(labels.get(one, one) for one in self.to_form(value))

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        """Return the typed column of people's values in files with one column per question."""
        return anything(name)

    def column_value(self, value: Any) -> Any:
        """Return a person's value as that column has it."""
        return value

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the choices of a form in order: `value` (as sent), `label`, `key` (on the keyboard)."""
        return []


def is_number(value: Any) -> bool:
    """Return whether a value of a file is a finite number that a double can hold; true and false are none."""
    if isinstance(value, float):
        return math.isfinite(value)
    return type(value) is int and abs(value) < LARGEST_EXACT


def finite_number(value: Any) -> float:
    """Return a machine's number, booleans as 0 and 1. Raises ValueInvalidError for anything else."""
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


BETTER = SpecField(
    "better", "Better outputs have", "Makes preference pairs in exports from the values of an item's outputs.",
    kind="choice", choices=(("high", "High values"), ("low", "Low values")), default_text="not said",
)  # fmt: skip
"""Which end of a scale better outputs have; values order outputs only if a question says so."""


class NumericType(QuestionType):
    """A type whose values are numbers; machines may give any finite one, also beyond the scale."""

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        if spec.get("better") not in (None, "high", "low"):
            raise SpecInvalidError("better must be high or low")

    def check_machine(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if isinstance(value, bool):
            raise ValueInvalidError("must be a finite number")
        finite_number(value)
        return value

    def number(self, value: Any) -> float | None:
        return finite_number(value)

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return number(name)

    def column_value(self, value: Any) -> Any:
        return float(value)


def question_types() -> Mapping[str, QuestionType]:
    """Return all question types by key."""
    return discover("questions", "QUESTION_TYPE", in_each=True, group=QUESTION_TYPES)


def question_type_choices() -> list[tuple[str, str]]:
    """Return choices for the model field. Migrations refer to this function, so a new type needs no migration."""
    return [(key, key) for key in question_types()]
