"""Checks or imports an uploaded file: the dry run runs the code of the import up to its first write."""

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from annotation.studies.locking import ImportPendingError
from annotation.studies.preparing_tasks import request_preparation
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from files.line_reading import Watch
from files.reading import (
    ImportRefusedError,
    ImportResult,
    add_to_study,
    replace_draft,
    replacement_of_draft,
)
from files.reading.dry_run import check_files, check_update
from files.reading.import_attempt import Tables
from files.reading.import_lock import ImportUnderWayError
from managing.models import ItemUpload, UploadStep
from managing.uploads.other_formats import ConversionRefusedError, ConvertedUpload, other_formats
from managing.uploads.receiving import WHOLE, WORK_KEY, discard, place_of

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
    try:
        with other_formats().converted(upload) as moved:
            findings = _about(moved) | _found(upload, moved, _progress(claim))
    except ConversionRefusedError as problem:
        findings = {**problem.findings, **_problems(problem.refused)}
    with claim.finish(findings=findings, read=upload.size):
        pass


def _found(upload: ItemUpload, moved: ConvertedUpload | None, watch: Watch) -> dict[str, Any]:
    """What an import would add, the lines by outcome, and the problems."""
    try:
        if moved is not None and upload.table == WHOLE:
            done = check_update(*replacement_of_draft(moved.folder), watch, actor=upload.person, via=VIA)
        else:
            done = check_files(upload.study, _tables(upload, moved), watch, actor=upload.person, via=VIA)
    except ImportRefusedError as refused:  # the study cannot change any more
        return _problems(refused)
    findings: dict[str, Any] = {"added": dict(done.added)}
    findings |= {table: asdict(tally) for table, tally in done.tallies.items()}
    if done.refused is not None:
        findings |= _problems(done.refused, moved)
    return findings


def _tables(upload: ItemUpload, moved: ConvertedUpload | None) -> Tables:
    return {upload.table: place_of(upload)} if moved is None else moved.tables


def _about(moved: ConvertedUpload | None) -> dict[str, Any]:
    return {} if moved is None else dict(moved.findings)


def _import(claim: Claim) -> None:
    """Import the file. The step ends in the transaction that decides the import, so a lost worker repeats nothing."""
    upload = claim.row.upload
    about: dict[str, Any] = {}

    def finish(result: ImportResult) -> None:
        with claim.finish(findings={**about, "added": result.added}, read=upload.size):
            if result.study.is_live:
                request_preparation(result.study, upload.person, goes_live=False)

    try:
        with other_formats().converted(upload) as moved:
            about |= _about(moved)
            if moved is not None and upload.table == WHOLE:
                replace_draft(moved.folder, upload.person, VIA, watch=_progress(claim), on_write=finish)
            else:
                add_to_study(
                    upload.study, _tables(upload, moved), upload.person, VIA, watch=_progress(claim), on_write=finish,
                    reason=claim.row.findings.get("reason", ""),
                )  # fmt: skip
    except (ImportRefusedError, ConversionRefusedError) as problem:  # the study has changed since the dry run
        refused = problem if isinstance(problem, ImportRefusedError) else problem.refused
        raise GiveUpError("The study has changed since the dry run.", findings=_problems(refused)) from None
    discard(upload, None)


def _problems(refused: ImportRefusedError, moved: ConvertedUpload | None = None) -> dict[str, Any]:
    """The problems; with `moved` their lines are those of its files, which are named."""
    listed = [
        {"line": one.line, "field": one.field if moved is None else f"{one.file} {one.field}".strip(),
         "reason": one.reason}
        for one in refused.problems
    ]  # fmt: skip
    return {"problems": listed, "more": refused.more}


def _progress(claim: Claim) -> Callable[[int], None]:
    """Return what stores how far the file has been read, and stops if somebody asked for it."""
    told, most = time.monotonic(), claim.row.upload.size  # what is converted may be larger

    def watch(size: int) -> None:
        nonlocal told
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            claim.update(read=min(size, most))

    return watch


WORK = Work(WORK_KEY, UploadStep, process_upload, "jobs", lease=timedelta(minutes=1), study="upload__study")
