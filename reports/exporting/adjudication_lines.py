"""The lines of `adjudications.jsonl`: researchers' final answers, in the order of items, units and questions."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Adjudication, Study
from config.text_validation import given, time_text
from reports.exporting.study_lines import Line

FIELDS = (
    "item_id", "item__key", "output__position", "output__key", "other_output__position", "other_output__key", "variant",
    "question__position", "question__key", "number", "value", "reason", "by__name", "at",
)  # fmt: skip


def has_adjudications(study: Study) -> bool:
    """Whether the study has any final answers."""
    return Adjudication.objects.filter(item__study=study).exists()


def adjudication_lines(study: Study) -> Iterator[Line]:
    """Every final answer, including those that a later one replaced."""
    rows = [dict(zip(FIELDS, row, strict=True)) for row in _rows(study)]
    rows.sort(
        key=lambda row: (
            row["item_id"],
            [-1 if row[name] is None else row[name] for name in ("output__position", "other_output__position")],
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
                "variant": row["variant"] or None,
                "question": row["question__key"],
                "number": row["number"],
                "value": row["value"],
                "reason": row["reason"],
                "reviewer": row["by__name"],
                "at": time_text(row["at"]),
            }
        )


def _rows(study: Study) -> Iterator[tuple[Any, ...]]:
    return iter(Adjudication.objects.filter(item__study=study).values_list(*FIELDS))
