"""Forms whose fields are described by `SpecField`s; the checks of study files say what is wrong in them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.forms.utils import ErrorDict

from annotation.spec_fields import SpecField
from managing.building.field_texts import named

REFRESHING: Mapping[str, str] = {
    "hx-trigger": "change", "hx-target": "#build", "hx-swap": "outerHTML", "hx-status:4xx": "swap:none",
    "hx-status:5xx": "swap:none",
}  # fmt: skip
ROWS = {"prose": 2, "lines": 3, "labels": 2, "pairs": 3}


class SpecForm(forms.Form):
    """The fields of one part of a study. `refresh` is the address that shows the form again after a choice."""

    use_required_attribute = False

    def __init__(self, fields: Sequence[SpecField], texts: Mapping[str, str], start: str, refresh: str) -> None:
        super().__init__(data=dict(texts))
        self.start, self.refresh = start, refresh
        for field in _flat(fields, texts, start):
            self._add(field)

    def full_clean(self) -> None:
        """Find no problems: `place` adds those that the checks of study files have found."""
        self._errors, self.cleaned_data = ErrorDict(), {}

    def place(self, name: str, reason: str) -> bool:
        """Show a problem beside the field called `name`, or the first of its inner fields; False without such."""
        found = [one for one in self.fields if one == name or one.startswith(f"{name}-")]
        if found:
            self.add_error(found[0], reason)
        return bool(found)

    def _add(self, found: "tuple[str, SpecField, bool]") -> None:
        name, field, decides = found
        text = str(self.data.get(name, ""))
        self.fields[name] = forms.CharField(
            label=field.label, help_text=field.help, required=field.required, widget=self._widget(field, text, decides)
        )

    def _widget(self, field: SpecField, text: str, decides: bool) -> forms.Widget:
        attributes = {"autocomplete": "off", "data-kind": field.kind}
        if field.kind in ("truth", "choice", "either"):
            more = {**REFRESHING, "hx-post": self.refresh} if decides else {}
            return forms.Select(attributes | more, choices=_options(field, text))
        if field.kind not in ("whole", "number"):
            attributes["dir"] = "auto"
        if (empty := _if_empty(field)) and "\n" not in empty:
            attributes["placeholder"] = empty
        if field.kind in ROWS:
            lines = text.count("\n") + 1
            return forms.Textarea(attributes | {"rows": str(min(max(lines, ROWS[field.kind]), 12)), "cols": "20"})
        if field.kind in ("whole", "number"):
            attributes["inputmode"] = "numeric" if field.kind == "whole" else "decimal"
        return forms.TextInput(attributes)

    def focus(self, key: str) -> None:
        """Have the page begin in this field."""
        self.fields[named(self.start, key)].widget.attrs["autofocus"] = True

    @property
    def shown(self) -> list[BoundField]:
        return [self[name] for name in self.fields]

    def only(self, *keys: str) -> list[BoundField]:
        """The fields of these keys, with their inner fields."""
        starts = [named(self.start, key) for key in keys]
        return [self[name] for name in self.fields if any(f"{name}-".startswith(f"{start}-") for start in starts)]


def _flat(fields: Sequence[SpecField], texts: Mapping[str, str], start: str) -> Iterator[tuple[str, SpecField, bool]]:
    """The fields that concern what is chosen: name, field, and whether its choice decides which others there are."""
    deciding = {field.shown_if[0] for field in fields if field.shown_if}
    for field in fields:
        name = named(start, field.key)
        if field.shown_if and not texts.get(name) and not _is_chosen(fields, texts, start, *field.shown_if):
            continue
        if field.kind == "group":
            yield from _flat(field.fields, texts, name)
            continue
        yield name, field, field.decides or field.key in deciding or field.kind == "either"
        if field.kind == "either":
            chosen = texts.get(name, "")
            yield from _flat([one for one in field.fields if one.key == chosen], texts, name)


def _is_chosen(fields: Sequence[SpecField], texts: Mapping[str, str], start: str, key: str, value: Any) -> bool:
    other = next(field for field in fields if field.key == key)
    return (texts.get(named(start, key)) or str(other.default)) == str(value)


def _options(field: SpecField, text: str) -> list[tuple[str, str]]:
    """The options of a select: the default has no value of its own, unless the study's file says it."""
    choices = [("true", "Yes"), ("false", "No")] if field.kind == "truth" else list(field.choices)
    default = str(field.default).lower() if isinstance(field.default, bool) else field.default
    if field.default is None:
        choices = [("", field.default_text.capitalize() or "-"), *choices]
    elif text != default:
        choices = [("" if value == default else value, label) for value, label in choices]
    known = {value for value, _ in choices}
    return choices if text in known else [*choices, (text, text)]


def _if_empty(field: SpecField) -> str:
    """What an empty field means."""
    if field.default is None:
        return field.default_text.capitalize()
    values = field.default if isinstance(field.default, list) else [field.default]
    return ", ".join(map(str, values))
