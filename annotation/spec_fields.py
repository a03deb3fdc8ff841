"""Describes the keys of a study file, so that pages can offer each of them as a field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

FieldKind = Literal[
    "truth", "whole", "number", "text", "prose", "lines", "choice", "labels", "numbers", "pairs", "group", "either"
]
"""`text` has one line, `prose` several. `lines`: a list of texts, one per line. `labels`: texts for values in their
order, some of which may be empty. `choice`: one of `choices`. `numbers`: a mapping of texts to numbers. `pairs`: a list
of pairs of texts. `group`: a mapping of `fields`. `either`: one of `choices`, or a mapping whose only key is one of
`fields`."""


@dataclass(frozen=True)
class SpecField:
    """A key of a question or an option of a study: how its field is labelled, what it means, what it is if empty.

    `shown_if` names another key and one of its values: the field concerns only specs with that value. `begins` is the
    value that a new question gets. `default_text` says what an empty field means if no value is the default. Other
    fields depend on a field that `decides`.
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
    fields: tuple[SpecField, ...] = ()
    begins: Any = None
    default_text: str = ""
    decides: bool = False
