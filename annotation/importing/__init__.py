"""Import: study, items, ratings, annotations and more from files into the database, completely or not at all.

The files are read line by line and checked completely before anything is written. New rows wait in a temporary file
(`staging`), so memory hardly grows with the files and nobody waits for the import. Then they are written in one
transaction, or in short steps on SQLite (`stepwise_import`). `docs/formats.md` describes the files.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import IntegrityError, connection, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.importing import stepwise_import
from annotation.importing.annotations import AnnotationImport
from annotation.importing.csv_tables import annotation_objects, item_objects, rating_objects
from annotation.importing.folder import TABLES, find_files
from annotation.importing.import_lock import import_lock
from annotation.importing.import_problems import FileProblems, ImportProblem, ImportRefusedError, refuse
from annotation.importing.items import ItemImport
from annotation.importing.line_reading import SourceFile
from annotation.importing.protocol_tables import TableImport, app_importer
from annotation.importing.ratings import RatingImport
from annotation.importing.reviews import ReviewImport
from annotation.importing.runs import RunImport
from annotation.importing.staging import Staging, StudyChangedError
from annotation.importing.study_file import read_study_file
from annotation.importing.study_updates import NoUpdate, StudyFileUpdate, StudyUpdate
from annotation.importing.target import ImportTarget
from annotation.importing.written_examples import ExampleImport
from annotation.models import Study
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.planning import replan_from

__all__ = ["ImportProblem", "ImportRefusedError", "ImportResult", "add_to_study", "import_study"]

ATTEMPTS = 3
CHANGED = "somebody worked on the same tasks while the files were being checked: import them again"
NO_EXAMPLES = "has no examples.jsonl that could replace the study's examples"

Objects = Iterable[tuple[int, Mapping[str, Any]]]
Tables = Mapping[str, Path]
"""The files of an import by table: items, ratings, sessions, ..."""


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


def import_study(
    source: Path,
    named: Mapping[str, Path | None] | None = None,
    *,
    owner: Person | None = None,
    actor: Person | None = None,
    replace_examples: bool = False,
    reason: str = "",
) -> ImportResult:
    """Import a folder, or a study file with the files that `named` gives by table.

    `owner` becomes an owner of the study; `actor` is the person that the audit names (None: a command). With
    `replace_examples` new runs of judges show the file's examples alone. Raises ImportRefusedError, with nothing
    stored, if anything is wrong.
    """
    files = find_files(source, named or {})
    update = StudyFileUpdate(read_study_file(files.study), files.guidelines, owner)
    if replace_examples and "examples" not in files.tables:
        raise refuse(source.name, NO_EXAMPLES)
    return _import(update, files.tables, actor, "", replace_examples=replace_examples, reason=reason)


def add_to_study(study: Study, tables: Tables, actor: Person, via: str = "", reason: str = "") -> ImportResult:
    """Add the rows of files to an existing study; `via` tells the audit how they were sent.

    A locked study needs a `reason`.

    Raises ImportRefusedError, with nothing stored, if anything is wrong.
    """
    return _import(NoUpdate(study), tables, actor, via, reason=reason)


def _import(
    update: StudyUpdate,
    tables: Tables,
    actor: Person | None,
    via: str,
    *,
    replace_examples: bool = False,
    reason: str = "",
) -> ImportResult:
    with import_lock(update.slug):
        stepwise_import.discard_undecided(update.slug)
        for _ in range(ATTEMPTS):
            stepwise_import.complete_imports(update.slug)
            try:
                with Staging() as staging:
                    target = update.preview(staging)
                    target.replaces_examples = replace_examples
                    return _Attempt(update, target, actor, via, reason).run(tables)
            except StudyChangedError:
                continue
    raise refuse(update.slug, CHANGED)


class _Attempt:
    """One attempt to check the files of an import and to write what is new."""

    def __init__(self, update: StudyUpdate, target: ImportTarget, actor: Person | None, via: str, reason: str) -> None:
        self.update, self.target, self.actor, self.via, self.reason = update, target, actor, via, reason
        self.staging = target.staging
        self.result = ImportResult(target.study, False)
        self.first_extended: int | None = None
        self.why: Mapping[str, str] = {}

    def run(self, tables: Tables) -> ImportResult:
        self._check(tables)
        self.staging.refuse_changes()
        if stepwise_import.fits_one_step(self.staging):
            self._write_at_once()
        else:
            self._write_in_steps()
        return self.result

    def _check(self, tables: Tables) -> None:
        """Read all files, in the order in which they refer to each other, and stage what is new."""
        own: list[TableImport] = []
        named = [table for table in TABLES if table in tables]
        settles = not IMPORTERS.keys() >= set(named)
        for table in named:
            self.staging.keep_readable = settles or table != named[-1]
            source = SourceFile(tables[table], FileProblems(tables[table].name))
            importer, of_csv = self._importer(table, source)
            importer.run(_objects(source, of_csv))
            self.result.added[table] = importer.added
            self.result.digests[table] = source.digest
            if isinstance(importer, ItemImport):
                self.result.added["outputs"] = importer.outputs
                self.first_extended = importer.first_extended
            if isinstance(importer, TableImport):
                own.append(importer)
        for one in own:
            one.settle()
        self.result.added["raters"] = self.target.raters.added

    def _importer(self, table: str, source: SourceFile) -> "tuple[AnyImport, OfCSV | None]":
        """Return the importer of a table, and its reader of CSV if it has one."""
        if table in IMPORTERS:
            kind, of_csv = IMPORTERS[table]
            return kind(self.target, source.problems), of_csv
        own = self.target.protocol.files.importer(table) or app_importer(table)
        if own is None:
            raise refuse(source.path.name, "studies of this protocol do not have this table")
        return own(self.target, source.problems), None

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
        self.staging.refuse_changes()
        if self.first_extended is not None:
            replan_from(study, self.first_extended)
        return study

    def _record(self, study: Study) -> None:
        """Write the audit entry, at the end of the transaction: it says when the rows became visible to others."""
        result = self.result
        new = {"added": result.added, "sha256": result.digests, **({"via": self.via} if self.via else {}), **self.why}
        if self.target.replaces_examples:
            new["examples_replaced"] = True
        record("study imported", study.slug, actor=self.actor, study=study.slug, new=new)


AnyImport = ItemImport | ExampleImport | AnnotationImport | RatingImport | RunImport | ReviewImport | TableImport
OfCSV = Callable[[SourceFile], Objects]
IMPORTERS: Mapping[str, tuple[Callable[[ImportTarget, FileProblems], AnyImport], OfCSV | None]] = {
    "items": (ItemImport, item_objects),
    "examples": (ExampleImport, None),
    "annotations": (AnnotationImport, annotation_objects),
    "ratings": (RatingImport, rating_objects),
    "runs": (RunImport, None),
    "scores": (RatingImport, rating_objects),
    "reviews": (ReviewImport, None),
}


def _objects(source: SourceFile, of_csv: OfCSV | None) -> Objects:
    """Return the lines of a file, read according to its suffix. Raises ImportRefusedError for other formats."""
    suffix = source.path.suffix.lower()
    if suffix == ".csv" and of_csv is not None:
        return of_csv(source)
    if suffix in (".csv", ".parquet"):
        raise refuse(source.path.name, "cannot be read in this format: send it as .jsonl")
    return source.objects()
