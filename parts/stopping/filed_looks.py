"""Looks of stop rules in files: the lines of `looks.jsonl`, written from looks that were taken, and read back.

Looks from a file decide nothing: a study that was imported takes its own.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.models import Study
from annotation.typed_columns import anything, text, time, whole
from config.background.rows import Status
from config.model_fields import canonical_json
from config.text_validation import given, time_text
from files.import_problems import FieldInvalidError
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from files.tables.typed_tables import TypedTable
from parts.stopping.models import FiledLook, StopLook

Line = dict[str, Any]
NUMBERS = ("number", "planned", "answers")

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


class LookImport(TableImport):
    """Imports looks. A line that is there already is skipped."""

    table = "looks"
    typed = LOOKS

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        there = {digest for (digest,) in self.staging.read(FiledLook.objects.filter(study=self.study), "digest")}
        there |= {_digest_of(line) for line in look_lines(self.study)}
        new: list[tuple[str, str]] = []
        for place, body in objects:
            try:
                line = _checked_line(body)
            except FieldInvalidError as problem:
                self.problems.add(place, problem.field, problem.reason)
                continue
            if (digest := _digest_of(line)) not in there:
                there.add(digest)
                new.append((digest, canonical_json(line)))
        self.problems.refuse_if_any()
        ids = self.staging.next_ids(FiledLook, len(new))
        rows = [(pk, self.study.pk, *more) for pk, more in zip(ids, new, strict=True)]
        self.staging.insert(FiledLook, ("id", "study_id", "digest", "line"), rows)
        self.added += len(new)


def _digest_of(line: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(dict(line)).encode()).hexdigest()


def _checked_line(body: Mapping[str, Any]) -> Line:
    """A line as an export writes it. Raises FieldInvalidError."""
    line_fields.only(body, frozenset(column.name for column in LOOKS.columns))
    for field in NUMBERS:
        if type(body.get(field)) is not int or body[field] < (field == "number"):
            raise FieldInvalidError(field, "must be a whole number")
    if body.get("decision") not in StopLook.Decision.values:
        raise FieldInvalidError("decision", f"must be one of {', '.join(StopLook.Decision.values)}")
    moment = line_fields.moment(body, "taken_at")
    if moment is None:
        raise FieldInvalidError("taken_at", "is missing")
    return given({
        **{key: body[key] for key in (*NUMBERS, "decision")}, "taken_at": time_text(moment),
        "figures": line_fields.mapping(body, "figures"), "plan": line_fields.text(body, "plan"),
    })  # fmt: skip
