"""What the settings of an Argilla data set say: its fields, and the type, choices and texts of its questions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.findings import AnswerKind, Findings

KINDS = {
    "label_selection": AnswerKind.CHOICES,
    "multi_label_selection": AnswerKind.CHOICES,
    "rating": AnswerKind.STEP,
    "text": AnswerKind.TEXT,
    "ranking": AnswerKind.RANKING,
    "span": AnswerKind.SPANS,
}
SEVERAL = "multi_label_selection"
OPTIONS = ("options", "values", "labels")
"""Where versions of the tool list what can be chosen."""


@dataclass
class DataSetFields:
    """The fields that raters saw, empty if no settings were given, and the field in which spans are, by question."""

    shown: list[str] = field(default_factory=list)
    of_spans: dict[str, str] = field(default_factory=dict)


def is_settings(body: Any) -> bool:
    """Return whether an object is the settings of a data set."""
    return isinstance(body, Mapping) and isinstance(body.get("questions"), list) and "responses" not in body


def read_settings(body: Mapping[str, Any], found: Findings) -> None:
    """Add what the settings say. Raises FieldInvalidError."""
    known = found.of_tool(DataSetFields)
    fields = body.get("fields")
    known.shown += (
        [one["name"] for one in fields if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
        if isinstance(fields, list)
        else []
    )
    for number, question in enumerate(body["questions"]):
        place = f"questions.{number}"
        if not isinstance(question, Mapping) or not isinstance(question.get("name"), str):
            raise FieldInvalidError(place, "must be an object with name and settings")
        said = question.get("settings", question)  # version 1 writes both on one level
        if not isinstance(said, Mapping):
            raise FieldInvalidError(place, "must be an object with name and settings")
        _read_question(question["name"], said, f"{place}.settings", found)
        if isinstance(said.get("field"), str):
            known.of_spans[question["name"]] = said["field"]


def _read_question(name: str, said: Mapping[str, Any], place: str, found: Findings) -> None:
    kind = KINDS.get(str(said.get("type")))
    if kind is None:
        raise FieldInvalidError(f"{place}.type", f"{quoted(said.get('type'))} is not a known type")
    found.kinds[name] = kind
    if said["type"] == SEVERAL:
        found.multiple.add(name)
    values = _options(said)
    if kind in (AnswerKind.CHOICES, AnswerKind.SPANS):
        found.choices[name] = [value for value in values if isinstance(value, str)]
    elif kind is AnswerKind.STEP and values and all(type(value) is int for value in values):
        found.scales[name] = min(values), max(values)


def _options(said: Mapping[str, Any]) -> list[Any]:
    """What can be chosen: values, or objects with a value, or the keys of an object with the labels."""
    for key in OPTIONS:
        listed = said.get(key)
        if isinstance(listed, Mapping):
            return list(listed)
        if isinstance(listed, list) and listed:
            return [one.get("value") if isinstance(one, Mapping) else one for one in listed]
    return []
