"""Imports runs of judges and metrics from the lines of a file. A run that exists already is skipped, or refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import JudgeRun
from config.bulk_insert import packed_time
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading import line_fields
from files.reading.line_import import LineImport
from files.reading.rater_lookup import DEFAULT_KIND
from files.reading.target import ImportTarget

LINE_KEYS = frozenset({
    "id", "rater", "rater_kind", "configuration", "status", "counts", "tokens_in", "tokens_out", "price", "started_at",
    "ended_at", "replaced_by",
})  # fmt: skip
SAID = ("configuration", "status", "counts", "tokens_in", "tokens_out", "price", "started_at", "ended_at")
COLUMNS = ("id", "rater_id", "name", *SAID, "replaced_by_id")
STATUSES = frozenset(JudgeRun.Status.values)
GREATEST_SUM = 2**63 - 1

Name = tuple[str, str]
"""A run's rater and id."""


@dataclass(slots=True)
class ReadRun:
    line: int
    name: Name
    said: tuple[Any, ...]
    replaced_by: Name | None


class RunImport(LineImport[ReadRun]):
    """Imports the runs of one file. They refer to each other, so all are kept until the last line."""

    batch_size = 1000

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.raters = target.raters
        self.lines: dict[Name, ReadRun] = {}

    def read(self, line: int, body: Mapping[str, Any]) -> ReadRun:
        line_fields.only(body, LINE_KEYS)
        try:
            key = check_id(body.get("id"), "id")
        except TextRefusedError as problem:
            raise FieldInvalidError("id", problem.reason) from None
        rater, kind = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        if kind == DEFAULT_KIND:
            raise FieldInvalidError("rater_kind", "must be model or metric: people have no runs")
        configuration, status = line_fields.mapping(body, "configuration"), body.get("status")
        if configuration is None:
            raise FieldInvalidError("configuration", "is missing")
        if not isinstance(status, str) or status not in STATUSES:
            raise FieldInvalidError("status", f"must be one of {', '.join(sorted(STATUSES))}, not {quoted(status)}")
        said = (
            configuration, status, line_fields.counts(body, "counts"),
            *(line_fields.whole(body, name, greatest=GREATEST_SUM) for name in ("tokens_in", "tokens_out", "price")),
            line_fields.moment(body, "started_at"), line_fields.moment(body, "ended_at"),
        )  # fmt: skip
        return ReadRun(line, (rater, key), said, _replaced_by(body))

    def stage(self, batch: list[ReadRun]) -> None:
        for run in batch:
            earlier = self.lines.setdefault(run.name, run)
            if earlier is not run:
                self.problems.add(run.line, "id", f"{quoted(run.name[1])} of this rater is in line {earlier.line}")

    def finish(self) -> None:
        if self.problems.found:
            return
        self.raters.flush()
        known = self._known()
        new = [run for run in self.lines.values() if run.name not in known]
        keys = {name: pk for name, (pk, _) in known.items()}
        keys.update(zip((run.name for run in new), self.staging.next_ids(JudgeRun, len(new)), strict=True))
        for run in self.lines.values():
            if run.replaced_by is not None and (run.replaced_by == run.name or run.replaced_by not in keys):
                self.problems.add(run.line, "replaced_by", "must name another run of this study")
            elif run.name in known and known[run.name][1] != _comparable(run.said, run.replaced_by):
                reason = f"run {quoted(run.name[1])} of {quoted(run.name[0])} exists with different content"
                self.problems.add(run.line, "id", reason)
        if not self.problems.found:
            self._insert(new, keys)

    def _known(self) -> dict[Name, tuple[int, str]]:
        """Return the study's runs: primary key and content."""
        rows = JudgeRun.objects.filter(rater__study=self.study)
        names = {pk: (rater, name) for pk, rater, name in rows.values_list("pk", "rater__name", "name")}
        return {
            names[pk]: (pk, _comparable(said, names.get(replaced_by)))
            for pk, replaced_by, *said in rows.values_list("pk", "replaced_by", *SAID)
        }

    def _insert(self, new: list[ReadRun], keys: Mapping[Name, int]) -> None:
        """Stage new runs, those that replace others first."""
        waiting, rows, done = list(new), [], set(keys) - {run.name for run in new}
        while waiting:
            ready = [run for run in waiting if run.replaced_by is None or run.replaced_by in done]
            if not ready:
                self.problems.add(waiting[0].line, "replaced_by", "goes round in a circle")
                return
            for run in ready:
                rows.append(_row(run, keys, self.raters.known[run.name[0]][0]))
            done |= {run.name for run in ready}
            waiting = [run for run in waiting if run.name not in done]
        self.staging.insert(JudgeRun, COLUMNS, rows)
        self.added += len(rows)


def _replaced_by(body: Mapping[str, Any]) -> Name | None:
    given = line_fields.mapping(body, "replaced_by")
    if given is None:
        return None
    if set(given) != {"rater", "id"} or not all(isinstance(name, str) for name in given.values()):
        raise FieldInvalidError("replaced_by", 'must be {"rater", "id"} of another run')
    return given["rater"], given["id"]


def _comparable(said: tuple[Any, ...] | list[Any], replaced_by: Name | None) -> str:
    times = [str(value) if isinstance(value, datetime) else value for value in said]
    return canonical_json([*times, replaced_by])


def _row(run: ReadRun, keys: Mapping[Name, int], rater: int) -> tuple[Any, ...]:
    configuration, status, counts, tokens_in, tokens_out, price, started_at, ended_at = run.said
    return (
        keys[run.name], rater, run.name[1], canonical_json(configuration), status,
        None if counts is None else canonical_json(counts), tokens_in, tokens_out, price, packed_time(started_at),
        packed_time(ended_at), None if run.replaced_by is None else keys[run.replaced_by],
    )  # fmt: skip
