"""Writes an export or a bundle into one file and keeps it."""

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

from annotation.blinding import is_blind
from annotation.studies.locking import ImportPendingError
from config.absent_parts import absent_parts_with_rows
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.database_clock import database_now
from files.writing import FORMATS, ExportRefusedError
from reports.kept.figure_files import export_with_figures
from reports.kept.kept_exports import (
    BUNDLE,
    WORK_KEY,
    WrittenExport,
    all_forms,
    discard,
    export_state,
    folder_of,
    keep_export,
    removals,
)
from reports.kept.kept_reports import ReportOutdatedError
from reports.kept.zip_archive import listed_files, zip_folder
from reports.models import KeptExport

WRITE_BUNDLE = "reports.kept.bundle_folder.write_bundle"
"""By name: web processes load this module, and must not load what computes reports."""
UNKNOWN = "This version of the software does not write this format."
FULL = "The file could not be written: {}. Tell the operator of this site."
ERASED = "Something was erased or withdrawn while it was written."
IMPORTING = "An import into this study is being completed."
PARTIAL = "A bundle here would lack what belongs to parts that are not installed: {}. Use the command bundle."
WAIT = 3.0


def write_export(claim: Claim) -> None:
    """Write what a claimed row asks for. A worker that is killed leaves files that upkeep deletes."""
    row: KeptExport = claim.row
    if row.form not in all_forms():
        raise GiveUpError(UNKNOWN)
    if row.form == BUNDLE and (absent := absent_parts_with_rows()):
        raise GiveUpError(PARTIAL.format(", ".join(absent)))
    folder = folder_of(row.study_id)
    work, part = folder / f"{claim.token}.work", folder / f"{claim.token}.part"
    try:
        work.mkdir(mode=0o700, parents=True)
        with claim.kept_alive():
            made = _written(claim, work, part)
        keep_export(claim, made)
    except OSError as problem:
        raise GiveUpError(FULL.format(problem.strerror or problem)) from problem
    except ExportRefusedError as problem:
        raise GiveUpError(str(problem)) from problem
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None
    except ReportOutdatedError:
        raise TryLaterError(ERASED, WAIT, counts=False) from None
    finally:
        for path in (work, part):
            if path.exists():
                discard(path)


def _written(claim: Claim, work: Path, part: Path) -> WrittenExport:
    """Write the files, then the archive. The state is read first: what changes meanwhile makes the file outdated."""
    row: KeptExport = claim.row
    study, begun, read_at = row.study, time.monotonic(), database_now()
    removed = removals(study, read_at)
    state, coded = export_state(study), is_blind(study)
    folder = work / (study.slug if row.form in FORMATS else f"{study.slug}-bundle")
    claim.update(step="Writing the files")
    via = f"kept export {row.pk}"
    if row.form == BUNDLE:
        import_string(WRITE_BUNDLE)(study, folder, row.requested_by, via)
    else:
        export_with_figures(study, folder, row.form, row.requested_by, via)
    claim.update(step="Packing them into one file")
    sha256 = zip_folder(folder, part)
    fields: dict[str, Any] = {
        "state": state, "coded": coded, "read_at": read_at, "seconds": time.monotonic() - begun, "sha256": sha256,
        "size": part.stat().st_size, "contents": listed_files(folder),
    }  # fmt: skip
    return WrittenExport(part, fields, removed)


WORK = Work(WORK_KEY, KeptExport, write_export, "jobs", lease=timedelta(minutes=2))
