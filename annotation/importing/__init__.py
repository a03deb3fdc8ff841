"""Import: study, items, ratings, annotations and more from files into the database, all of it or nothing.

One transaction reads line by line and writes in batches, so that memory does not grow with the files but for
what tells lines apart. `docs/formats.md` describes the files.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.importing.annotations import AnnotationImport
from annotation.importing.folder import TABLES, Files, find_files
from annotation.importing.items import ItemImport
from annotation.importing.material import Material
from annotation.importing.own_tables import TableImport
from annotation.importing.problems import ImportRefusedError, Problem, Problems, refuse
from annotation.importing.raters import Raters
from annotation.importing.ratings import RatingImport
from annotation.importing.reading import Source
from annotation.importing.reviews import ReviewImport
from annotation.importing.studies import apply_study, give_owner
from annotation.importing.study_file import StudyFile, read_study_file
from annotation.importing.tables import annotation_objects, item_objects, rating_objects
from annotation.models import Study
from annotation.protocols import protocols

__all__ = ["ImportRefusedError", "Imported", "Problem", "add_to_study", "import_study"]

Objects = Iterable[tuple[int, Mapping[str, Any]]]


@dataclass
class Imported:
    """What an import did: the study, whether it was made, and how many rows of each kind were added."""

    study: Study
    made: bool
    added: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """What would keep the study from going live, in sentences."""
        return protocols()[self.study.protocol].warnings(self.study)


def import_study(
    source: Path,
    named: Mapping[str, Path | None] | None = None,
    *,
    owner: Person | None = None,
    actor: Person | None = None,
) -> Imported:
    """Import a folder, or a study file with the files `named` (by what they hold: items, ratings, sessions, ...).

    `owner` becomes an owner of the study; `actor` is whom the audit names (None: a command). Raises
    ImportRefusedError, with nothing stored, where anything is wrong.
    """
    files = find_files(source, named or {})
    described = read_study_file(files.study)
    with transaction.atomic():
        return _apply(files, described, owner, actor)


def add_to_study(study: Study, tables: Mapping[str, Path], actor: Person, via: str = "") -> Imported:
    """Add the rows of files, by what they hold, to a study that is there; `via` says for the audit how they came.

    Raises ImportRefusedError, with nothing stored, where anything is wrong.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        return _read(Imported(locked, False), tables, actor, via)


def _apply(files: Files, described: StudyFile, owner: Person | None, actor: Person | None) -> Imported:
    study, made = apply_study(described, files.guidelines, actor)
    if owner is not None:
        give_owner(study, owner, actor)
    return _read(Imported(study, made), files.tables, actor)


def _read(done: Imported, tables: Mapping[str, Path], actor: Person | None, via: str = "") -> Imported:
    study = done.study
    raters, material = Raters(study), Material(study)
    own: list[TableImport] = []
    for table in TABLES:
        if table in tables and table in _READERS:
            _READERS[table](tables[table], done, raters, material)
        elif table in tables:
            own.append(_own(table, tables[table], done, raters, material))
    for one in own:
        one.settle()
    done.added["raters"] = raters.made
    new = {"added": done.added, "sha256": done.digests, **({"via": via} if via else {})}
    record("study imported", study.slug, actor=actor, study=study.slug, new=new)
    return done


def _items(path: Path, done: Imported, raters: Raters, material: Material) -> None:
    source = _open(path)
    batch = ItemImport(done.study, source.problems)
    batch.run(_objects(source, item_objects))
    done.added.update(items=batch.items, outputs=batch.outputs)
    done.digests["items"] = source.digest


def _annotations(path: Path, done: Imported, raters: Raters, material: Material) -> None:
    source = _open(path)
    batch = AnnotationImport(done.study, raters, material, source.problems)
    batch.run(_objects(source, annotation_objects))
    done.added["annotations"] = batch.added
    done.digests["annotations"] = source.digest


def _reviews(path: Path, done: Imported, raters: Raters, material: Material) -> None:
    source = _open(path)
    batch = ReviewImport(done.study, raters, material, source.problems)
    batch.run(_objects(source, None))
    done.added["reviews"] = batch.added
    done.digests["reviews"] = source.digest


def _own(table: str, path: Path, done: Imported, raters: Raters, material: Material) -> TableImport:
    """Read a table that only some protocols have."""
    source = _open(path)
    kind = protocols()[done.study.protocol].importer(table)
    if kind is None:
        raise refuse(path.name, "is nothing that a study of this protocol has")
    batch = kind(done.study, raters, material, source.problems)
    batch.run(_objects(source, None))
    done.added[table] = batch.added
    done.digests[table] = source.digest
    return batch


def _ratings(table: str) -> Callable[[Path, Imported, Raters, Material], None]:
    def read(path: Path, done: Imported, raters: Raters, material: Material) -> None:
        source = _open(path)
        batch = RatingImport(done.study, raters, material, source.problems)
        batch.run(_objects(source, rating_objects))
        done.added[table] = batch.added
        done.digests[table] = source.digest

    return read


_READERS = {
    "items": _items,
    "annotations": _annotations,
    "ratings": _ratings("ratings"),
    "scores": _ratings("scores"),
    "reviews": _reviews,
}


def _open(path: Path) -> Source:
    return Source(path, Problems(path.name))


def _objects(source: Source, of_table: Callable[[Source], Objects] | None) -> Objects:
    """The lines of a file, by its suffix; raises ImportRefusedError for one that is not read."""
    suffix = source.path.suffix.lower()
    if suffix == ".csv" and of_table is not None:
        return of_table(source)
    if suffix == ".csv" or suffix == ".parquet":
        raise refuse(source.path.name, "cannot be read in this format: give it as .jsonl")
    return source.objects()
