"""Types shared by the rater's page, its protocol and the database: the outputs shown and the answers given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.models import Question

Form = dict[str, list[str]]
"""A posted form: every field's raw strings."""


class AnswersInvalidError(ValueError):
    """A submitted form that cannot be accepted; `errors` is {question key: sentence}, shown beside the questions."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{key} {text}" for key, text in errors.items()))
        self.errors = dict(errors)


@dataclass(frozen=True, slots=True)
class ShownOutput:
    """An output on a rater's page: its letter there, its key and its text."""

    letter: str
    key: str
    text: str
    turns: str | None = None
    """The places of a conversation's turns, as JSON text (`annotation.conversations`)."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A rater's view of a task: the document, and the outputs in the order shown."""

    outputs: tuple[ShownOutput, ...] = ()
    document: str = ""

    @classmethod
    def of(cls, keys: Sequence[str], texts: Sequence[str] | None = None, document: str = "") -> Sheet:
        """A sheet of outputs by key, lettered in this order; leave out `texts` if only keys matter."""
        shown = zip(keys, texts if texts is not None else [""] * len(keys), strict=True)
        return cls(tuple(ShownOutput(letter(place), key, text) for place, (key, text) in enumerate(shown)), document)

    def only(self, keys: Sequence[str]) -> Sheet:
        """The same document with only the outputs named by `keys`, in that order, with new letters."""
        texts = {output.key: output.text for output in self.outputs}
        return Sheet.of(keys, [texts[key] for key in keys], self.document)

    @property
    def keys(self) -> list[str]:
        """The outputs' keys in the order shown."""
        return [output.key for output in self.outputs]

    def key_of(self, name: str) -> str | None:
        """The key of the output with the letter `name`, or None."""
        return next((output.key for output in self.outputs if output.letter == name), None)

    def letter_of(self, key: str) -> str | None:
        """The letter of the output `key`, or None if it is not shown."""
        return next((output.letter for output in self.outputs if output.key == key), None)

    def text_of(self, key: str) -> str | None:
        """The text of the output `key`, or None if it is not shown."""
        return next((output.text for output in self.outputs if output.key == key), None)


def letter(place: int) -> str:
    """The letter of the output shown at `place`, from 0: A to Z, then AA."""
    return chr(ord("A") + place) if place < 26 else letter(place // 26 - 1) + letter(place % 26)


@dataclass(frozen=True)
class Unit:
    """The unit of a rating: the whole task (both None), one output or a pair, by output keys, and its variant."""

    output: str | None = None
    other: str | None = None
    variant: str = ""


@dataclass(frozen=True)
class Answer:
    """One flat rating from a submitted form: the value as given, its number and its level of measurement."""

    question: Question
    value: Any
    level: str
    number: float | None
    unit: Unit = field(default_factory=Unit)
    off_scale: bool = False
