"""Exports that are sent and not kept: the folder as one archive, or one of its files.

Both are written to disk and returned as an open file without a name, which disappears when it is closed: an interrupted
download leaves nothing behind.
"""

import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.snapshots import study_snapshot
from files.writing import NOT_DATA, SMALL_FORMATS, export_study, writers
from files.writing.folder_placement import ExportRefusedError
from reports.kept.kept_exports import current_exports, export_state, place_of
from reports.models import KeptExport

PREFIX = "interrater-export-"
WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that the same study gives the same bytes."""


class FileUnknownError(LookupError):
    """The study's export has no file of this name."""


def archived(study: Study, form: str, actor: Person, via: str) -> IO[bytes]:
    """The study's folder as an open zip archive, at its start. Raises ExportRefusedError.

    The kept export of the present data, with derived tables and reports, if a worker has written one; otherwise the
    data alone, because web processes compute neither.
    """
    for row in current_exports(study, (form,), export_state(study)):
        with suppress(FileNotFoundError):  # removed just now
            file = place_of(row).open("rb")
            with transaction.atomic():
                new = {"format": form, "kept": row.pk, "via": via}
                record("study exported", study.slug, actor=actor, study=study.slug, new=new)
            return file
    with TemporaryDirectory(prefix=PREFIX) as place:
        folder = Path(place) / study.slug
        export_study(study, folder, form, actor, via)
        return _zipped(folder)


def _zipped(folder: Path) -> IO[bytes]:
    made = TemporaryFile()  # noqa: SIM115 - returned open
    try:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for path in sorted(path for path in folder.rglob("*") if path.is_file()):
                entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), WHEN)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                    while chunk := source.read(1 << 16):
                        target.write(chunk)
        made.seek(0)
    except OSError as problem:
        made.close()
        raise ExportRefusedError(f"Could not write the archive: {problem.strerror}.") from problem
    return made


def file_names(study: Study) -> list[str]:
    """All names that `exported_file` knows."""
    kept = {file["name"] for row in current_exports(study, SMALL_FORMATS, export_state(study)) for file in row.contents}
    return sorted({name for form in SMALL_FORMATS for name in writers(study, form)} | NOT_DATA | kept)


def exported_file(study: Study, name: str, actor: Person, via: str) -> IO[bytes]:
    """One file of the study's folder, open at its start. Raises FileUnknownError or ExportRefusedError.

    It is taken from the kept export of the present data, as `archived` takes all files.
    """
    for row in current_exports(study, SMALL_FORMATS, export_state(study)):
        if any(file["name"] == name for file in row.contents):
            with suppress(FileNotFoundError):
                return _from_archive(study, row, name, actor, via)
    with TemporaryDirectory(prefix=PREFIX) as place:
        if name in NOT_DATA:
            export_study(study, Path(place) / study.slug, SMALL_FORMATS[0], actor, via)
            return (Path(place) / study.slug / name).open("rb")
        return _written(study, name, Path(place) / "file", actor, via)


def _from_archive(study: Study, row: KeptExport, name: str, actor: Person, via: str) -> IO[bytes]:
    """A file out of a kept export. Raises FileNotFoundError."""
    with zipfile.ZipFile(place_of(row)) as archive, archive.open(f"{study.slug}/{name}") as source:
        found = TemporaryFile()  # noqa: SIM115 - returned open
        shutil.copyfileobj(source, found)
    found.seek(0)
    _record_file(study, name, actor, via)
    return found


def _record_file(study: Study, name: str, actor: Person, via: str) -> None:
    with transaction.atomic():
        record("file exported", name, actor=actor, study=study.slug, new={"via": via})


def _written(study: Study, name: str, path: Path, actor: Person, via: str) -> IO[bytes]:
    with study_snapshot(study):
        known = {known: write for form in SMALL_FORMATS for known, write in writers(study, form).items()}
        if name not in known:
            raise FileUnknownError(name)
        try:
            known[name](path)
            path.touch()  # a table without rows writes none
        except OSError as problem:
            raise ExportRefusedError(f"Could not write the file: {problem.strerror}.") from problem
    _record_file(study, name, actor, via)
    return path.open("rb")
