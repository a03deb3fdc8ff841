"""The columns of `looks.jsonl`, looks of stop rules in files."""

from annotation.file_tables.typed_tables import TypedTable
from annotation.models import Study
from annotation.typed_columns import anything, text, time, whole
from config.background.rows import Status
from recruiting.stopping.stopping_models import FiledLook, StopLook

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
