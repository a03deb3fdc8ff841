"""The fields of a step on the page that edits it, and the step's part of the study file that they stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms

from annotation.forms import LONGEST_ABOUT, PlainText
from config.yaml_reading import YamlInvalidError, parse_yaml
from parts.way_in.yaml_texts import yaml_lines


@dataclass(frozen=True)
class StepField:
    """A field: `kind` is line, prose, whole, items (a number or ids), choice or yaml."""

    name: str
    label: str
    help: str = ""
    kind: str = "line"
    choices: tuple[tuple[str, str], ...] = ()
    required: bool = False


KEY = StepField("key", "Key", "Names the step in files. It cannot be changed later.", required=True)
TITLE = StepField("title", "Title", "The heading of the page. Empty: the usual one.")
INTRO = StepField("intro", "Introduction", "Shown above the form.", kind="prose")
ITEMS = StepField(
    "items", "Items", "How many of the pool, in the order of import, or the ids of items, one per line. Empty: all.",
    kind="items",
)  # fmt: skip


SAMPLE = StepField(
    "sample", "Items per attempt", "So many of them are drawn at random for each person and attempt. Empty: all.",
    kind="whole",
)  # fmt: skip


class EntryStepForm(forms.Form):
    """A step's own fields. `key` is only asked of a new step."""

    def __init__(self, fields: tuple[StepField, ...], data: Any = None, body: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={one.name: _text(one, (body or {}).get(one.name)) for one in fields})
        self.described = fields
        for one in fields:
            self.fields[one.name] = _form_field(one)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for one in self.described:
            if one.kind == "yaml" and cleaned.get(one.name):
                try:
                    cleaned[one.name] = parse_yaml(cleaned[one.name])
                except YamlInvalidError as problem:
                    self.add_error(one.name, f"Line {problem.line}: {problem.reason}.")
            if one.kind == "items" and cleaned.get(one.name):
                cleaned[one.name] = _items(cleaned[one.name])
        return cleaned

    def body(self) -> dict[str, Any]:
        """Return the step's keys with the values of a valid form, without empty ones."""
        return {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}


def _form_field(one: StepField) -> forms.Field:
    about: dict[str, Any] = {"label": one.label, "help_text": one.help, "required": one.required}
    if one.kind == "whole":
        return forms.IntegerField(**about)
    if one.kind == "choice":
        return forms.ChoiceField(choices=one.choices, **{**about, "required": True})
    if one.kind in ("prose", "yaml", "items"):
        rows = {"prose": 6, "yaml": 12, "items": 2}[one.kind]
        attrs = {"rows": rows, **({"class": "mono", "spellcheck": "false"} if one.kind == "yaml" else {})}
        return PlainText(widget=forms.Textarea(attrs=attrs), max_length=LONGEST_ABOUT, **about)
    return forms.CharField(max_length=200, **about)


def _items(text: str) -> int | list[str]:
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 7:
        return int(text)
    return [line.strip() for line in text.split("\n") if line.strip()]


def _text(one: StepField, value: Any) -> Any:
    if value is None:
        return ""
    if one.kind == "yaml":
        return yaml_lines(value)
    return "\n".join(value) if isinstance(value, list) else value
