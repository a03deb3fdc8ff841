"""Reads looks of stop rules from files.

Looks from a file decide nothing: a study that was imported takes its own.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from config.model_fields import canonical_json
from config.text_validation import given, time_text
from files.import_problems import FieldInvalidError
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from parts.stopping.look_lines import LOOKS, Line, look_lines
from parts.stopping.models import FiledLook, StopLook

NUMBERS = ("number", "planned", "answers")


class LookImport(TableImport):
    """Imports looks. A line that is there already is skipped."""

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
