"""Values of a study file as the texts of form fields, and back.

`texts_of` and `value_of` lose nothing: a text that is no value of its kind stays in the body as it was typed, where the
checks of study files refuse it, and is shown again. An empty field is an absent key. A field whose text has not changed
keeps its value exactly, even if there are several ways to write it.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from annotation.spec_fields import SpecField

WHOLE = re.compile(r"-?[0-9]{1,18}")
NUMBER = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,30})?(e-?[0-9]{1,2})?")
TRUTHS = {"true": True, "false": False}
NOTHING: Mapping[str, Any] = MappingProxyType({})


def named(start: str, key: str) -> str:
    """The name of the field `key` inside the form or field `start`."""
    return f"{start}-{key}"


def texts_of(fields: Sequence[SpecField], body: Mapping[str, Any], start: str) -> dict[str, str]:
    """The texts of the form's fields, by name, for the keys of a mapping of a study file."""
    return {name: text for field in fields for name, text in _written(field, body.get(field.key), start)}


def value_of(
    fields: Sequence[SpecField], texts: Mapping[str, str], start: str, kept: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """The mapping that the fields' texts stand for; `kept` is the mapping that is saved."""
    read = {
        field.key: kept[field.key]
        if field.key in kept and _is_unchanged(field, kept[field.key], texts, start)
        else _read(field, texts, start)
        for field in fields
    }
    return {key: value for key, value in read.items() if value is not None}


def _is_unchanged(field: SpecField, value: Any, texts: Mapping[str, str], start: str) -> bool:
    return all(_plain(texts.get(name, "")) == text for name, text in _written(field, value, start))


def _plain(text: str) -> str:
    """A posted text with its line ends as they are stored."""
    return text.replace("\r\n", "\n")


def _written(field: SpecField, value: Any, start: str) -> Iterator[tuple[str, str]]:
    name = named(start, field.key)
    if field.kind == "group":
        yield from texts_of(field.fields, value if isinstance(value, dict) else {}, name).items()
    elif field.kind == "either":
        chosen = next(iter(value), "") if isinstance(value, dict) else value
        yield name, _text(chosen)
        inner = value if isinstance(value, dict) else {}
        yield from texts_of(field.fields, inner, name).items()
    elif field.kind == "lines" and isinstance(value, list):
        yield name, "\n".join(map(_text, value))
    elif field.kind == "labels" and isinstance(value, list | dict):
        yield name, _label_lines(value)
    elif field.kind == "pairs" and isinstance(value, list):
        yield name, _rows(value)
    else:
        yield name, _text(value)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _label_lines(labels: list[Any] | dict[Any, Any]) -> str:
    """One label per line. A last one that is empty gets a line end of its own, or it could not be read again."""
    if isinstance(labels, dict):
        given = {_text(key): text for key, text in labels.items()}
        labels = [given.get("true"), given.get("false")]
    lines = "\n".join(map(_text, labels))
    return f"{lines}\n" if lines.endswith("\n") else lines


def _rows(pairs: list[Any]) -> str:
    """A row of comma-separated values per pair, with quotation marks only around texts that contain commas."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(pair if isinstance(pair, list) else [pair] for pair in pairs)
    return file.getvalue().removesuffix("\n")


def _read(field: SpecField, texts: Mapping[str, str], start: str) -> Any:
    name = named(start, field.key)
    if field.kind == "group":
        return value_of(field.fields, texts, name) or None
    text = _plain(texts.get(name, ""))
    if field.kind == "either" and text in {one.key for one in field.fields}:
        return {text: value_of(field.fields, texts, name).get(text)}
    if field.kind == "prose":
        return text or None
    if not text.strip():
        return None
    return _value(field, text)


def _value(field: SpecField, text: str) -> Any:
    match field.kind:
        case "truth":
            return TRUTHS.get(text, text)
        case "whole":
            return int(text) if WHOLE.fullmatch(text.strip()) else text
        case "number":
            return _number(text)
        case "lines":
            return [line for line in text.split("\n") if line.strip()]
        case "labels":
            return text.removesuffix("\n").split("\n")
        case "pairs":
            return _pairs(text)
    return text


def _number(text: str) -> int | float | str:
    plain = text.strip()
    if WHOLE.fullmatch(plain):
        return int(plain)
    return float(plain) if NUMBER.fullmatch(plain) else text


def _pairs(text: str) -> list[list[str]] | str:
    try:
        rows = list(csv.reader(io.StringIO(text), skipinitialspace=True, strict=True))
    except csv.Error:
        return text
    return [row for row in rows if row]
