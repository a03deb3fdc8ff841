"""Raters of whom a file says more than their answers do: the lines of `raters.jsonl`, those who are excluded now."""

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.members.standing import excluded
from annotation.models import RaterExclusion
from config.bulk_insert import packed_time
from files.import_problems import FieldInvalidError
from files.reading import line_fields
from files.reading.protocol_tables import TableImport
from files.tables.exclusion_columns import RATERS


class ExcludedRaterImport(TableImport):
    """Imports exclusions. One that is there already is skipped."""

    typed = RATERS

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        there = {rater for (rater,) in self.staging.read(excluded(self.study).order_by(), "rater_id")}
        new: dict[str, tuple[str, Any]] = {}
        for place, body in objects:
            try:
                line_fields.only(body, frozenset(column.name for column in RATERS.columns))
                name, reason = line_fields.text(body, "rater"), line_fields.text(body, "reason")
                at = line_fields.moment(body, "excluded_at")
                if not name or not reason or at is None:
                    raise FieldInvalidError("rater", "needs rater, reason and excluded_at")
                if body.get("excluded") is not True:
                    raise FieldInvalidError("excluded", "must be true")
                known, _ = self.raters.name_and_kind(name, None)
            except FieldInvalidError as problem:
                self.problems.add(place, problem.field, problem.reason)
                continue
            new.setdefault(known, (reason, packed_time(at)))
        self.problems.refuse_if_any()
        self.raters.flush()
        rows = [
            (self.raters.known[name][0], *more) for name, more in new.items() if self.raters.known[name][0] not in there
        ]
        ids = self.staging.next_ids(RaterExclusion, len(rows))
        columns = ("id", "rater_id", "reason", "at")
        self.staging.insert(RaterExclusion, columns, [(pk, *row) for pk, row in zip(ids, rows, strict=True)])
        self.added += len(rows)
