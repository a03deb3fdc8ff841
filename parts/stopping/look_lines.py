"""The lines of `looks.jsonl`: looks of stop rules that were taken."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Study
from annotation.typed_columns import anything, text, time, whole
from config.background.rows import Status
from config.model_fields import canonical_json
from config.text_validation import given, time_text
from files.tables.typed_tables import TypedTable
from parts.stopping.models import FiledLook, StopLook

Line = dict[str, Any]
LOOKS = TypedTable(
    (
        whole("number", "1 for the first look"),
        whole("planned", "answers after which the look was due"),
        whole("answers", "answers when it was taken"),
        time("taken_at", "when it was taken"),
        text("decision", "continue, stop (the rules were met) or end (it was the last look)"),
        anything("figures", "what each rule found: estimates, intervals, boundaries; empty after an erasure"),
        text("plan", "SHA-256 of the rules as they were fixed"),
    ),
    ("number", "planned", "answers", "taken_at", "decision"),
)  # fmt: skip


def has_looks(study: Study) -> bool:
    """Whether the study has looks that were taken, here or elsewhere."""
    filed = FiledLook.objects.filter(study=study)
    return filed.exists() or StopLook.objects.filter(plan__study=study, status=Status.DONE).exists()


def look_lines(study: Study) -> Iterator[Line]:
    """The looks that were taken, in their order; those from a file before the study's own."""
    lines = list(FiledLook.objects.filter(study=study).values_list("line", flat=True))
    for look in StopLook.objects.filter(plan__study=study, status=Status.DONE).select_related("plan"):
        lines.append(given({
            "number": look.number, "planned": look.planned, "answers": look.answers,
            "taken_at": time_text(look.taken_at), "decision": look.decision, "figures": look.figures or None,
            "plan": look.plan.sha256,
        }))  # fmt: skip
    ordered = [{column.name: line[column.name] for column in LOOKS.columns if column.name in line} for line in lines]
    yield from sorted(ordered, key=lambda line: (line["taken_at"], line["number"], canonical_json(line)))
