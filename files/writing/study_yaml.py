"""The study file of an export, as YAML 1.2 that does not depend on a library's version.

Texts of several plain lines are literal blocks. Any other text that could be misread is quoted as in JSON, with all
invisible characters escaped.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.blinding import exported_options, shown_systems
from annotation.models import Guideline, Question, Study
from annotation.studies.file_sections import sections_in, without_sections

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
TAKEN = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
INDENT = 2


def study_yaml(study: Study) -> str:
    """The text of the study's file."""
    return yaml_text(study_body(study))


def yaml_text(body: Mapping[str, Any]) -> str:
    """The text of a study file that holds `body`."""
    return "".join(f"{line}\n" for line in _block(body, 0))


def study_body(study: Study) -> dict[str, Any]:
    """The contents of the study file, with keys in the order of docs/formats.md and without empty ones."""
    guidelines = Guideline.objects.filter(study=study).order_by("-number").first()
    options = exported_options(study)
    body: dict[str, Any] = {
        "slug": study.slug,
        "title": study.title or None,
        "description": study.description or None,
        "contact": study.contact or None,
        "license": study.license or None,
        "citation": study.citation or None,
        "language": study.language,
        "protocol": study.protocol,
        "redundancy": study.redundancy,
        "guidelines": guidelines.text if guidelines else None,
        "questions": [_question(question) for question in study.questions.order_by("position")],
        "options": without_sections(options) or None,
        **sections_in(options),
        "systems": shown_systems(study) or None,
        "judges": study.judges or None,
        "recruiting": study.recruiting or None,
    }
    return {key: value for key, value in body.items() if value is not None}


def _question(question: Question) -> dict[str, Any]:
    body: dict[str, Any] = {"key": question.key, "type": question.type}
    if question.text:
        body["text"] = question.text
    if question.help:
        body["help"] = question.help
    if not question.required:
        body["required"] = False
    return {**body, **question.spec}


def _block(value: Mapping[str, Any] | list[Any], indent: int) -> Iterator[str]:
    pad = " " * indent
    if isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict | list) and inner:
                first, *rest = _block(inner, indent + INDENT)
                yield f"{pad}- {first[indent + INDENT :]}"
                yield from rest
            else:
                yield f"{pad}- {_scalar(inner, indent + INDENT)}"
        return
    for key, inner in value.items():
        if isinstance(inner, dict | list) and inner:
            yield f"{pad}{_quoted(key)}:"
            yield from _block(inner, indent + INDENT)
        else:
            yield f"{pad}{_quoted(key)}: {_scalar(inner, indent + INDENT)}"


def _scalar(value: Any, indent: int) -> str:
    if not isinstance(value, str):
        return json.dumps(value, allow_nan=False)
    return _lines(value, indent) if _fits_literal_block(value) else _quoted(value)


def _quoted(text: str) -> str:
    if PLAIN.fullmatch(text) and text.lower() not in TAKEN:
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in json.dumps(text, ensure_ascii=False))


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _fits_literal_block(text: str) -> bool:
    """Whether a text of several lines can be read back unchanged from a literal block."""
    lines = text.removesuffix("\n").split("\n")
    return (
        len(lines) > 1
        and bool(lines[0])
        and bool(lines[-1])
        and not lines[0][0].isspace()
        and all(line.isprintable() and line == line.rstrip() for line in lines)
    )


def _lines(text: str, indent: int) -> str:
    pad = " " * indent
    kept = "|" if text.endswith("\n") else "|-"
    return "\n".join([kept, *(pad + line if line else "" for line in text.removesuffix("\n").split("\n"))])
