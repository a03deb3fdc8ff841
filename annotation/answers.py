"""What passes between a rater's page, its protocol and the database: what was shown, and what was said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.models import Question

Form = dict[str, list[str]]
"""A posted form: every field's raw strings."""


class AnswersInvalidError(ValueError):
    """A submitted form that cannot be accepted: {question key: sentence}, shown beside the questions."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{key} {text}" for key, text in errors.items()))
        self.errors = dict(errors)


@dataclass(frozen=True, slots=True)
class Shown:
    """An output on a rater's page: the letter it goes by there, its own key, its text."""

    letter: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """What lies before a rater: the document, and the outputs in the order shown."""

    outputs: tuple[Shown, ...] = ()
    document: str = ""

    @classmethod
    def of(cls, keys: Sequence[str], texts: Sequence[str] | None = None, document: str = "") -> Sheet:
        """A sheet of outputs by key, lettered in this order; without `texts`, where only the keys matter."""
        shown = zip(keys, texts if texts is not None else [""] * len(keys), strict=True)
        return cls(tuple(Shown(letter(place), key, text) for place, (key, text) in enumerate(shown)), document)

    def only(self, keys: Sequence[str]) -> Sheet:
        """The same document with those of the outputs that `keys` names, in its order, lettered anew."""
        texts = {output.key: output.text for output in self.outputs}
        return Sheet.of(keys, [texts[key] for key in keys], self.document)

    @property
    def keys(self) -> list[str]:
        """The outputs' keys in the order shown."""
        return [output.key for output in self.outputs]

    def key_of(self, name: str) -> str | None:
        """The key of the output that goes by the letter `name`, None where none does."""
        return next((output.key for output in self.outputs if output.letter == name), None)

    def letter_of(self, key: str) -> str | None:
        """The letter of the output `key`, None where it is not shown."""
        return next((output.letter for output in self.outputs if output.key == key), None)

    def text_of(self, key: str) -> str | None:
        """The text of the output `key`, None where it is not shown."""
        return next((output.text for output in self.outputs if output.key == key), None)


def letter(place: int) -> str:
    """The letter of the output shown at `place`, from 0: A to Z, then AA."""
    return chr(ord("A") + place) if place < 26 else letter(place // 26 - 1) + letter(place % 26)


@dataclass(frozen=True)
class Unit:
    """What a rating is about: nothing (the whole task), one output, or a pair, by output keys; in which variant."""

    output: str | None = None
    other: str | None = None
    variant: str = ""


@dataclass(frozen=True)
class Answer:
    """One flat rating that a submitted form gives: value as given, its number and level of measurement."""

    question: Question
    value: Any
    level: str
    number: float | None
    unit: Unit = field(default_factory=Unit)
    off_scale: bool = False
