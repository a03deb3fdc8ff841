"""The lines of `adjudications.jsonl`: researchers' final answers, in the order of items, units and questions."""

from collections.abc import Iterator
from typing import Any

from annotation.blinding import answer_levels, names_of, systems_of
from annotation.models import Adjudication, Study
from config.text_validation import given, time_text
from files.writing.study_lines import Line

FIELDS = (
    "item_id", "item__key", "output__position", "output__key", "other_output__position", "other_output__key", "variant",
    "question__position", "question__key", "number", "value", "reason", "by__name", "at",
)  # fmt: skip

STORED, SHOWN = ("output__position", "other_output__position"), ("output__key", "other_output__key")
"""By what units are sorted: as they were imported, or by code."""


def has_adjudications(study: Study) -> bool:
    """Whether the study has any final answers."""
    return Adjudication.objects.filter(item__study=study).exists()


def adjudication_lines(study: Study) -> Iterator[Line]:
    """Every final answer, including those that a later one replaced."""
    rows = [dict(zip(FIELDS, row, strict=True)) for row in _rows(study)]
    names, systems = names_of(study), systems_of(study)
    levels = answer_levels(study) if names.are_codes else {}
    for row in rows:
        for name in ("output__key", "other_output__key"):
            row[name] = names.shown(row[name])
    places = SHOWN if names.are_codes else STORED  # the order of import would tell systems apart
    rows.sort(
        key=lambda row: (
            row["item_id"],
            [(row[name] is not None, row[name]) if row[name] is not None else (False,) for name in places],
            row["variant"], row["question__position"], row["number"],
        )
    )  # fmt: skip
    for row in rows:
        pair = row["other_output__key"] is not None
        yield given(
            {
                "item": row["item__key"],
                "output": None if pair else row["output__key"],
                "outputs": [row["output__key"], row["other_output__key"]] if pair else None,
                "variant": names.known(row["variant"], systems) or None,
                "question": row["question__key"],
                "number": row["number"],
                "value": names.value(levels.get(row["question__key"], ""), row["value"]),
                "reason": row["reason"],
                "reviewer": row["by__name"],
                "at": time_text(row["at"]),
            }
        )


def _rows(study: Study) -> Iterator[tuple[Any, ...]]:
    return iter(Adjudication.objects.filter(item__study=study).values_list(*FIELDS))
