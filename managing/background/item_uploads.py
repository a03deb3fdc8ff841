"""Checks or imports an uploaded file: the dry run runs the code of the import up to its first write."""

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from annotation.importing import ImportRefusedError, ImportResult, add_to_study
from annotation.importing.dry_run import check_files
from annotation.importing.import_lock import ImportUnderWayError
from annotation.studies.locking import ImportPendingError
from annotation.studies.preparing_tasks import request_preparation
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from managing.models import UploadStep
from managing.uploads.receiving import WORK_KEY, discard, place_of

GONE = "The file is not on this site any more. Upload it again."
WAITS = "Another import into this study is being completed."
VIA = "upload"
EVERY = 0.5
"""Seconds between two reports of progress."""
WAIT = 3.0


def process_upload(claim: Claim) -> None:
    """Do what a claimed step is for."""
    upload = claim.row.upload
    if not place_of(upload).is_file():
        raise GiveUpError(GONE)
    try:
        with claim.kept_alive():
            if claim.row.kind == UploadStep.Kind.CHECK:
                _check(claim)
            else:
                _import(claim)
    except (ImportPendingError, ImportUnderWayError):
        raise TryLaterError(WAITS, WAIT, counts=False) from None


def _check(claim: Claim) -> None:
    """Store what an import of the file would do."""
    upload = claim.row.upload
    done = check_files(upload.study, {upload.table: place_of(upload)}, _progress(claim))
    findings: dict[str, Any] = {"added": dict(done.added)}
    findings |= {table: asdict(tally) for table, tally in done.tallies.items()}
    if done.refused is not None:
        findings |= _problems(done.refused)
    with claim.finish(findings=findings, read=upload.size):
        pass


def _import(claim: Claim) -> None:
    """Import the file. The step ends in the transaction that decides the import, so a lost worker repeats nothing."""
    upload = claim.row.upload

    def finish(result: ImportResult) -> None:
        with claim.finish(findings={"added": result.added}, read=upload.size):
            if result.study.is_live:
                request_preparation(result.study, upload.person, goes_live=False)

    try:
        add_to_study(
            upload.study,
            {upload.table: place_of(upload)},
            upload.person,
            VIA,
            watch=_progress(claim),
            on_write=finish,
            reason=claim.row.findings.get("reason", ""),
        )
    except ImportRefusedError as refused:  # the study has changed since the dry run
        raise GiveUpError("The study has changed since the dry run.", findings=_problems(refused)) from None
    discard(upload, None)


def _problems(refused: ImportRefusedError) -> dict[str, Any]:
    listed = [{"line": one.line, "field": one.field, "reason": one.reason} for one in refused.problems]
    return {"problems": listed, "more": refused.more}


def _progress(claim: Claim) -> Callable[[int], None]:
    """Return what stores how far the file has been read, and stops if somebody asked for it."""
    told = time.monotonic()

    def watch(size: int) -> None:
        nonlocal told
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            claim.update(read=size)

    return watch


WORK = Work(WORK_KEY, UploadStep, process_upload, "jobs", lease=timedelta(minutes=1))
