"""Papers that a page has received and a worker reads: the only writer of their rows and files.

The page only stores them. Reading a paper may take a minute and much memory, whatever its size.
"""

import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.waking import enqueue
from retrieval.models import PaperUpload

WORK_KEY = "paper_upload"
FOLDER = "papers"
MOST_WAITING = 3
"""Questions of one study whose papers wait to be read."""
FULL = f"The papers of {MOST_WAITING} questions are waiting to be read. Wait until one of them has been added."
FORGOTTEN_AFTER = 86_400
"""Seconds after which a folder without a waiting row is left over from a process that was killed."""


class UploadsFullError(Exception):
    """Too many uploads of the study are waiting, or the study cannot be changed; the message says which."""


def receive_papers(study: Study, person: Person, key: str, question: str, files: Sequence[UploadedFile]) -> PaperUpload:
    """Store the files of a new question and queue their reading. Raises UploadsFullError."""
    upload = PaperUpload(
        study=study,
        asked_by=person,
        item_key=key,
        question=question,
        files=[[file.name or "", file.size or 0] for file in files],
    )
    try:
        _refuse_more(study)
        _store(upload, files)
        with transaction.atomic():
            lock_study(study.pk)  # so that requests at once do not pass the limit
            _refuse_more(study)
            upload.save()
            record("papers uploaded", key, actor=person, study=study.slug, new={"files": len(files)})
            enqueue(works()[WORK_KEY], upload)
    except StudyRefusedError as problem:
        remove_papers(upload)
        raise UploadsFullError(str(problem)) from None
    except BaseException:
        remove_papers(upload)
        raise
    return upload


def _refuse_more(study: Study) -> None:
    if PaperUpload.objects.filter(study=study, status__in=WAITING).count() >= MOST_WAITING:
        raise UploadsFullError(FULL)


def _store(upload: PaperUpload, files: Sequence[UploadedFile]) -> None:
    """Write the files, numbered: the names that they have elsewhere are only shown."""
    place = place_of(upload)
    place.mkdir(mode=0o700, parents=True)
    for number, file in enumerate(files):
        with (place / str(number)).open("wb") as target:
            for chunk in file.chunks():
                target.write(chunk)


def place_of(upload: PaperUpload) -> Path:
    """The folder of an upload's files."""
    return _folder() / upload.folder.hex


def remove_papers(upload: PaperUpload) -> None:
    """Delete the files of an upload that has ended."""
    shutil.rmtree(place_of(upload), ignore_errors=True)


def remove_left_over() -> int:
    """Delete the files of uploads that nobody waits for; return of how many."""
    if not _folder().is_dir():
        return 0
    waiting = {one.hex for one in PaperUpload.objects.filter(status__in=WAITING).values_list("folder", flat=True)}
    oldest, removed = time.time() - FORGOTTEN_AFTER, 0
    for place in _folder().iterdir():
        with suppress(FileNotFoundError):  # another worker may have deleted it
            if place.name not in waiting and place.stat().st_mtime < oldest:
                shutil.rmtree(place, ignore_errors=True)
                removed += 1
    return removed


def _folder() -> Path:
    return Path(settings.VAR) / FOLDER
