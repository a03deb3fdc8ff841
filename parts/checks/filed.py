"""Answers to checks in files: the lines of `checks.jsonl`, written from answers and read back as they are."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from annotation.blinding import answer_levels, names_of
from annotation.models import Study
from config.model_fields import canonical_json
from config.text_validation import given, time_text
from files.import_problems import FieldInvalidError
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from parts.checks.answered import answered_checks
from parts.checks.columns import CHECKS
from parts.checks.models import CheckKind, FiledCheck

Line = dict[str, Any]
KEYS = frozenset({
    "rater", "kind", "item", "damage", "expected", "answered", "status", "share", "seconds", "submitted_at",
})  # fmt: skip
STATUSES = ("submitted", "skipped")


def check_lines(study: Study) -> Iterator[Line]:
    """The current answers to checks, in the order of raters, times and content."""
    filed = FiledCheck.objects.filter(study=study).select_related("rater")
    lines = [{"rater": one.rater.name, **one.line} for one in filed]
    for one in answered_checks(study):
        lines.append(given({
            "rater": one.rater.name, "kind": one.check.kind, "item": one.check.source.key,
            "damage": one.check.damage or None, "expected": one.expected, "answered": one.answers or None,
            "status": one.status, "share": one.share, "seconds": one.seconds, "submitted_at": time_text(one.at),
        }))  # fmt: skip
    ordered = [{column.name: line[column.name] for column in CHECKS.columns if column.name in line} for line in lines]
    yield from sorted(ordered, key=lambda line: (line["rater"], line.get("submitted_at") or "", canonical_json(line)))


def shown_check_lines(study: Study) -> Iterator[Line]:
    """The same lines with systems called as the people who run the study see them."""
    names = names_of(study)
    levels = answer_levels(study) if names.are_codes else {}
    for line in check_lines(study):
        said: Line = {key: names.answers(line[key], levels) for key in ("expected", "answered") if key in line}
        if line["kind"] == CheckKind.TWIN and isinstance(said.get("expected"), Mapping):
            said["expected"] = {key: names.shown(output) for key, output in line["expected"].items()}
        yield {**line, **said}


class CheckImport(TableImport):
    """Imports answers to checks. A line that is there already is skipped."""

    typed = CHECKS

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        there = set(self.staging.read(FiledCheck.objects.filter(study=self.study), "digest"))
        there |= {(digest_of(line),) for line in check_lines(self.study)}
        new: list[tuple[str, str, str]] = []
        for place, body in objects:
            try:
                line = checked_line(body)
                rater, _ = self.raters.name_and_kind(line["rater"], None)
            except FieldInvalidError as problem:
                self.problems.add(place, problem.field, problem.reason)
                continue
            digest = digest_of(line)
            if (digest,) not in there:
                there.add((digest,))
                new.append((rater, digest, canonical_json({key: line[key] for key in line if key != "rater"})))
        self.problems.refuse_if_any()
        self.raters.flush()
        ids = self.staging.next_ids(FiledCheck, len(new))
        rows = [
            (pk, self.study.pk, self.raters.known[name][0], *more) for pk, (name, *more) in zip(ids, new, strict=True)
        ]
        self.staging.insert(FiledCheck, ("id", "study_id", "rater_id", "digest", "line"), rows)
        self.added += len(new)


def digest_of(line: Mapping[str, Any]) -> str:
    """The digest by which a line is known."""
    return hashlib.sha256(canonical_json(dict(line)).encode()).hexdigest()


def checked_line(body: Mapping[str, Any]) -> Line:
    """A line as an export writes it. Raises FieldInvalidError."""
    line_fields.only(body, KEYS)
    for field, known in (("kind", CheckKind.values), ("status", STATUSES)):
        if body.get(field) not in known:
            raise FieldInvalidError(field, f"must be one of {', '.join(known)}")
    for field in ("rater", "item"):
        if not line_fields.text(body, field):
            raise FieldInvalidError(field, "is missing")
    moment = line_fields.moment(body, "submitted_at")
    return given({
        **{key: body.get(key) for key in ("rater", "kind", "item", "expected", "status")},
        "damage": line_fields.text(body, "damage"), "answered": line_fields.mapping(body, "answered"),
        "share": line_fields.share(body, "share"), "seconds": line_fields.seconds(body, "seconds"),
        "submitted_at": time_text(moment),
    })  # fmt: skip
