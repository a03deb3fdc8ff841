"""Describes the keys of a study file, so that pages can offer each of them as a field."""

from dataclasses import dataclass
from typing import Any, Literal

FieldKind = Literal["truth", "whole", "number", "text", "lines", "choice", "labels", "numbers"]
"""`lines`: a list of texts, one per line. `labels`: a list of values with texts, such as choices. `choice`: one of
`choices`. `numbers`: a mapping of texts to numbers."""


@dataclass(frozen=True)
class SpecField:
    """A key of a question or an option of a study: how its field is labelled, what it means, what it is if empty.

    `shown_if` names another key and one of its values: the field concerns only specs with that value.
    """

    key: str
    label: str
    help: str = ""
    kind: FieldKind = "text"
    default: Any = None
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    shown_if: tuple[str, Any] | None = None
