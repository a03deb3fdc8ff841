"""The columns of `checks.jsonl`, answers to checks in files."""

from annotation.models import Study
from annotation.typed_columns import anything, number, text, time
from files.tables.typed_tables import TypedTable
from parts.checks.models import CheckItem, FiledCheck

CHECKS = TypedTable(
    (
        text("rater", "who answered, under a pseudonym"),
        text("kind", "gold, twins or repeats"),
        text("item", "the item that the check was made from"),
        text("damage", "of twins: how an output was damaged"),
        anything("expected", "right values, the damaged output, or what was answered before"),
        anything("answered", "{question: value}"),
        text("status", "submitted or skipped"),
        number("share", "what it counts for, from 0 to 1"),
        number("seconds", "time taken"),
        time("submitted_at", "when it was submitted"),
    ),
    ("rater", "kind", "item", "status"),
)  # fmt: skip


def has_checks(study: Study) -> bool:
    """Whether the study has checks, or answers to some from a file."""
    return FiledCheck.objects.filter(study=study).exists() or CheckItem.objects.filter(item__study=study).exists()
