"""One attempt to import files in two steps: check all of them and stage what is new; then write what was staged."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils.module_loading import import_string

from accounts.auditing import record
from accounts.models import Person
from annotation.blinding import renew_codes
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.planning import replan_from
from annotation.studies.preparing_tasks import request_preparation
from config.bulk_insert import refresh_statistics
from files.import_problems import FileProblems, ImportRefusedError, refuse
from files.line_reading import SourceFile, Watch
from files.reading import stepwise_import
from files.reading.adjudication_import import AdjudicationImport
from files.reading.annotation_import import AnnotationImport
from files.reading.csv_tables import item_objects, typed_objects
from files.reading.example_import import ExampleImport
from files.reading.folder import file_tables
from files.reading.item_import import ItemImport
from files.reading.line_import import LineImport, LineTally
from files.reading.protocol_tables import TableImport, app_importer, protocol_importer
from files.reading.rating_import import RatingImport
from files.reading.review_import import ReviewImport
from files.reading.run_import import RunImport
from files.reading.staging import StudyChangedError
from files.reading.study_updates import StudyUpdate
from files.reading.target import ImportTarget
from files.reading.withdrawn_answers import withdraw_answers
from files.tables.typed_tables import (
    ADJUDICATIONS,
    ANNOTATIONS,
    EXAMPLES,
    ITEMS,
    REVIEWS,
    RUNS,
    SCORES,
    TypedTable,
)

Objects = Iterable[tuple[int, Mapping[str, Any]]]
Tables = Mapping[str, Path]
"""The files of an import by table: items, ratings, sessions, ..."""
BY_CODES = ("items", "ratings", "scores", "adjudications")
"""The tables whose files name the systems of a blinded study by codes."""
NOT_BLINDED = "cannot be added while the study is blinded: its lines name systems"
MANY_ROWS = 5_000
"""So many new rows change how PostgreSQL should read a table; its own upkeep notices them up to a minute later."""


@dataclass
class ImportResult:
    """The result of an import: the study, whether it is new, and how many rows of each kind were added."""

    study: Study
    is_new: bool
    added: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """Return sentences that say what prevents the study from going live."""
        return protocols()[self.study.protocol].flow.import_warnings(self.study)


OnWrite = Callable[[ImportResult], None]
"""Called in the transaction that decides an import, at its end."""


class ImportAttempt:
    """One attempt to check the files of an import and to write what is new."""

    def __init__(
        self, update: StudyUpdate, target: ImportTarget, actor: Person | None, via: str, reason: str = ""
    ) -> None:
        self.update, self.target, self.actor, self.via, self.reason = update, target, actor, via, reason
        self.why: Mapping[str, str] = {}
        self.on_write: OnWrite | None = None
        self.tallies: dict[str, LineTally] = {}
        """What the lines of each file are, also of one that was refused."""
        self.staging = target.staging
        self.result = ImportResult(target.study, False)
        self.first_extended: int | None = None

    def write(self) -> ImportResult:
        """Write what `check` has staged. Raises StudyChangedError and ImportRefusedError."""
        self.staging.refuse_changes()
        if stepwise_import.fits_one_step(self.staging):
            self._write_at_once()
        else:
            self._write_in_steps()
        return self.result

    def check(self, tables: Tables, watch: Watch | None = None) -> None:
        """Read all files, in the order in which they refer to each other, and stage what is new.

        Calls `watch` with the bytes read of each file now and then. Raises ImportRefusedError.
        """
        own: list[TableImport | AdjudicationImport] = []
        self.update.check_names(self.target)
        named = [table for table in (*file_tables(), *(name for name in tables if "/" in name)) if table in tables]
        self.target.has_tables_to_settle = settles = not IMPORTERS.keys() >= set(named)
        for table in named:
            self.staging.keep_readable = settles or table != named[-1]
            source = SourceFile(tables[table], FileProblems(tables[table].name), watch)
            if self.target.codes.are_used and table not in BY_CODES:
                raise refuse(source.path.name, NOT_BLINDED)
            importer, typed = self._importer(table, source)
            try:
                importer.run(_objects(source, typed, table))
            finally:
                if isinstance(importer, LineImport):
                    self.tallies[table] = importer.tally()
            kind = table.partition("/")[0]
            self.result.added[kind] = self.result.added.get(kind, 0) + importer.added
            self.result.digests[table] = source.digest
            if isinstance(importer, ItemImport):
                self.result.added["outputs"] = importer.outputs
                self.first_extended = importer.first_extended
            if isinstance(importer, TableImport | AdjudicationImport):  # the latter are the last table
                own.append(importer)
        for one in own:
            one.settle()
        self.result.added["raters"] = self.target.raters.added

    def _importer(self, table: str, source: SourceFile) -> "tuple[AnyImport, TypedTable | None]":
        """Return the importer of a table, and its columns if it can have other formats than JSONL."""
        files = self.target.protocol.files
        if table in IMPORTERS:
            kind, typed = IMPORTERS[table]
            own = {"items": files.item_keys, "ratings": self.target.protocol.unit_keys}
            more = own.get(table, self.target.protocol.machine_unit_keys if table == "scores" else frozenset())
            return kind(self.target, source.problems), typed.with_columns(more)
        found = protocol_importer(self.target.protocol, table) or app_importer(table.partition("/")[0])
        if found is None:
            raise refuse(source.path.name, "studies of this protocol do not have this table")
        return found(self.target, source.problems), found.typed

    def _write_at_once(self) -> None:
        try:
            with transaction.atomic():
                study = self._change_study()
                self.staging.write()
                self._record(study)
        except IntegrityError:
            # On PostgreSQL somebody may have added a row that the check could not see yet.
            if connection.vendor != "postgresql":
                raise
            raise StudyChangedError from None
        refresh_statistics(*(model for model, rows in self.staging.added.items() if rows >= MANY_ROWS))

    def _write_in_steps(self) -> None:
        pending = stepwise_import.keep(self.staging, self.update.slug)
        try:
            with transaction.atomic():
                study = self._change_study()
                stepwise_import.decide(pending, study, self.staging)
                self._record(study)
        except (StudyChangedError, ImportRefusedError):
            stepwise_import.discard(pending.pk)
            raise
        stepwise_import.complete(pending.pk)
        self.result.study.refresh_from_db()

    def _change_study(self) -> Study:
        """Write the import's changes to the study itself. After this, the staged rows are final."""
        study, self.result.is_new = self.update.write(self.target, self.actor)
        try:
            self.why = check_correction(study, self.reason)
        except StudyRefusedError as problem:
            raise refuse(study.slug, str(problem)) from None
        self.result.study = study
        if self.target.takes_first_names and self.result.added.get("outputs"):
            renew_codes(study)
        self.staging.refuse_changes()
        withdraw_answers(study, self.target.withdrawn, self.actor)
        firsts = [pk for pk in (self.first_extended, self.target.first_done) if pk is not None]
        if firsts:
            replan_from(study, min(firsts))
        return study

    def _record(self, study: Study) -> None:
        """Write the audit entry, at the end of the transaction: it says when the rows became visible to others."""
        result = self.result
        new = {"added": result.added, "sha256": result.digests, **({"via": self.via} if self.via else {}), **self.why}
        if self.target.replaces_examples:
            new["examples_replaced"] = True
        record("study imported", study.slug, actor=self.actor, study=study.slug, new=new)
        if self.target.first_done is not None and result.study.is_live:
            request_preparation(result.study, self.actor, goes_live=False)  # the work takes places
        if self.on_write is not None:
            self.on_write(result)


AnyImport = (
    ItemImport
    | ExampleImport
    | AnnotationImport
    | RatingImport
    | RunImport
    | ReviewImport
    | AdjudicationImport
    | TableImport
)
IMPORTERS: Mapping[str, tuple[Callable[[ImportTarget, FileProblems], AnyImport], TypedTable]] = {
    "items": (ItemImport, ITEMS),
    "examples": (ExampleImport, EXAMPLES),
    "annotations": (AnnotationImport, ANNOTATIONS),
    "ratings": (RatingImport, SCORES),
    "runs": (RunImport, RUNS),
    "scores": (RatingImport, SCORES),
    "reviews": (ReviewImport, REVIEWS),
    "adjudications": (AdjudicationImport, ADJUDICATIONS),
}
PARQUET_READER = "files.reading.parquet_tables.parquet_objects"
"""By name: web processes do not load pyarrow."""


def _objects(source: SourceFile, typed: TypedTable | None, table: str) -> Objects:
    """Return the lines of a file, read according to its suffix. Raises ImportRefusedError for other formats."""
    suffix = source.path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        return source.objects()
    if typed is None:
        raise refuse(source.path.name, "cannot be read in this format: send it as .jsonl")
    if suffix == ".csv":
        return item_objects(source, typed) if table == "items" else typed_objects(source, typed)
    found: Objects = import_string(PARQUET_READER)(source, typed)
    return found
