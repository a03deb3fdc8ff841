"""Receives uploaded files in parts, and deletes them: the only writer of uploads and their files.

A browser sends a file in parts that are no larger than an ordinary request, one after the other, so no request is
large, slow or sent by somebody who is not signed in, and an interrupted upload continues where it ended: also after the
page was closed, if the same file is chosen again. It is known by its name, its size and the CRC-32 of what has arrived.
Each part adds to a CRC-32 without the earlier ones being read again. Browsers offer no digests on sites without HTTPS,
so pages compute it themselves.
"""

import logging
import os
import zlib
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.locking import ImportPendingError, lock_study
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.waking import enqueue
from config.database_clock import database_now
from files.entered.drafts import is_changeable
from managing.models import ItemUpload, UploadStep
from managing.uploads.other_formats import other_formats

logger = logging.getLogger(__name__)

WORK_KEY = "item_uploads"
FOLDER = "uploads"
NO_REASON: Mapping[str, str] = MappingProxyType({})
WHOLE = ItemUpload.Table.STUDY.value
PART = 4 * 1024 * 1024
CHUNK = 1 << 16
KEPT = timedelta(days=7)
"""A file that nobody imports is deleted this long after it was last used."""
BUSY = "Another file is being checked or imported in this study. Wait for its end, or stop it first."
OF_ANOTHER = "The file {} of {} is waiting in this study. Reload this page to open it or to delete it first."
GONE = "This file is not on the site any more. Upload it again."
SAME_NAMES = "Two files are called {}. Choose the folder in which they are, or upload one of them."
WRONG_SIZES = "The files do not have the size that was announced. Reload this page."
FIXED = "Only a draft that nobody has answered takes its questions from a file."
EMPTY = "The file is empty. Choose another one."
TOO_LARGE = "The file is larger than {:,} MB. Split it, or import it with the command import_study."
OTHER_CONTENT = "This file differs from the one of the same name and size that was begun. Reload this page."
NO_ROOM = "The file cannot be stored on this site: {}. Tell its operator."


AnnouncedFile = tuple[str, int]
"""The name of one of several files, with the folder that it is in if that is known, and its bytes."""


class Readable(Protocol):
    """A file, or a request with its body."""

    def read(self, size: int, /) -> bytes: ...


class UploadRefusedError(Exception):
    """The upload cannot take this step; the message gives the reason and what to do."""


class PartMisplacedError(Exception):
    """A part does not begin where the file ends so far: send the one that begins at `received`."""

    def __init__(self, received: int) -> None:
        super().__init__(f"the next part begins at byte {received}")
        self.received = received


def place_of(upload: ItemUpload) -> Path:
    """The file of an upload. Its name on the person's computer is only shown."""
    suffix = "" if upload.files else Path(upload.name).suffix.lower()
    return Path(settings.VAR) / FOLDER / f"{upload.key}{suffix}"


def largest_part() -> int:
    """The bytes of one part: fewer than an ordinary request may have."""
    return min(PART, settings.UPLOAD_BYTES)


def name_of_files(names: Sequence[str]) -> str:
    """Return how several files are called together."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def begin_upload(
    study: Study, table: str, name: str, size: int, person: Person, files: Sequence[AnnouncedFile] = ()
) -> ItemUpload:
    """Begin an upload. The person's earlier file is deleted if nobody works on it. Raises UploadRefusedError.

    `files` are the name and the size of each file if there are several, of which `size` is the sum.
    """
    why_not = other_formats().why_not([name for name, _ in files] or [name])
    if why_not:
        raise UploadRefusedError(why_not)
    if files:
        _check_files(files, size)
    if table == WHOLE and not is_changeable(study):
        raise UploadRefusedError(FIXED)
    if size < 1:
        raise UploadRefusedError(EMPTY)
    if size > settings.STUDY_UPLOAD_BYTES:
        raise UploadRefusedError(TOO_LARGE.format(settings.STUDY_UPLOAD_BYTES // 2**20))
    other = file_of_another(study, person)
    if other is not None:
        raise UploadRefusedError(OF_ANOTHER.format(other.name, other.person))
    older = ItemUpload.objects.filter(study=study, has_file=True).first()
    if older is not None:
        discard(older, person)
    try:
        with transaction.atomic():
            return ItemUpload.objects.create(
                study=study,
                person=person,
                table=table,
                name=_short(name),
                size=size,
                files=[list(file) for file in files],
                changed_at=database_now(),
            )
    except IntegrityError:
        raise UploadRefusedError(BUSY) from None


def _check_files(files: Sequence[AnnouncedFile], size: int) -> None:
    """Raise UploadRefusedError unless these files can be told apart and have this size together."""
    names = [name for name, _ in files]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UploadRefusedError(SAME_NAMES.format(twice))
    if min(own for _, own in files) < 0 or sum(own for _, own in files) != size:
        raise UploadRefusedError(WRONG_SIZES)


def unfinished_upload(study: Study, person: Person) -> ItemUpload | None:
    """The person's upload of which a part has arrived, and not all of it."""
    found = ItemUpload.objects.filter(study=study, person=person, has_file=True, received__gt=0)
    return found.filter(received__lt=F("size")).first()


def continue_upload(
    study: Study,
    table: str,
    name: str,
    size: int,
    person: Person,
    received: int,
    checksum: int,
    files: Sequence[AnnouncedFile] = (),
) -> ItemUpload | None:
    """Return the person's unfinished upload of the same file, from now on of `table`; None if there is none.

    The file is the same if its name and size are, and if `checksum` is that of its first `received` bytes. Raises
    PartMisplacedError if another number of bytes has arrived, and UploadRefusedError if the content differs.
    """
    found = unfinished_upload(study, person)
    if found is None or (found.name, found.size) != (_short(name), size) or not _is_there(found):
        return None
    if found.files != [list(file) for file in files]:
        return None
    if found.received != received:
        raise PartMisplacedError(found.received)
    if found.checksum != checksum:
        raise UploadRefusedError(OTHER_CONTENT)
    ItemUpload.objects.filter(pk=found.pk, received=received).update(table=table, changed_at=database_now())
    found.table = table
    return found


def _is_there(upload: ItemUpload) -> bool:
    """Whether the bytes that have arrived are still stored."""
    path = place_of(upload)
    return path.is_file() and path.stat().st_size >= upload.received


def file_of_another(study: Study, person: Person) -> ItemUpload | None:
    """The upload of somebody else whose file is in the study and not imported; until it goes, nobody begins one."""
    imported = UploadStep.objects.filter(upload=OuterRef("pk"), kind=UploadStep.Kind.IMPORT, status="done")
    others = ItemUpload.objects.filter(~Exists(imported), study=study, has_file=True, person__isnull=False)
    return others.exclude(person=person).select_related("person").first()


def receive_files(study: Study, table: str, files: Sequence[UploadedFile], person: Person) -> ItemUpload:
    """Take the files that came with one request. Raises UploadRefusedError."""
    announced = [(file.name or "", file.size or 0) for file in files]
    size, name = sum(own for _, own in announced), name_of_files([name for name, _ in announced])
    found = begin_upload(study, table, name, size, person, announced if len(files) > 1 else ())
    for file, (_, own) in zip(files, announced, strict=True):
        end = found.received + own
        while found.received < end:
            receive_part(found, found.received, min(largest_part(), end - found.received), file, person)
    return found


def _short(name: str) -> str:
    """Return at most 200 characters of a file's name, with its suffix."""
    plain, suffix = os.path.splitext(name)
    return plain[: 200 - len(suffix)] + suffix


def receive_part(upload: ItemUpload, offset: int, length: int, stream: Readable, person: Person) -> int:
    """Write a part and return how many bytes of the file have arrived. The last part requests the dry run.

    A part that is sent again is written to the same place. Raises PartMisplacedError and UploadRefusedError.
    """
    fits = 0 < length <= min(largest_part(), upload.size - upload.received)
    if not upload.has_file or offset != upload.received or not fits:
        raise PartMisplacedError(upload.received)
    path = place_of(upload)
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.seek(offset)
            got, checksum = 0, upload.checksum
            while chunk := stream.read(min(CHUNK, length - got)):
                file.write(chunk)
                got += len(chunk)
                checksum = zlib.crc32(chunk, checksum)
    except OSError as problem:
        _remove_orphan(upload)
        raise UploadRefusedError(NO_ROOM.format(problem.strerror or problem)) from problem
    if got != length:
        _remove_orphan(upload)
        raise PartMisplacedError(upload.received)
    with transaction.atomic():
        mine = ItemUpload.objects.filter(pk=upload.pk, received=offset, has_file=True)
        if not mine.update(received=offset + got, checksum=checksum, changed_at=database_now()):
            _remove_orphan(upload)
            upload.refresh_from_db()
            raise PartMisplacedError(upload.received)
        upload.received, upload.checksum = offset + got, checksum
        if upload.is_complete:
            new = {"table": upload.table, "bytes": upload.size}
            record("file uploaded", upload.name, actor=person, study=upload.study.slug, new=new)
            _request(upload, UploadStep.Kind.CHECK)
    return upload.received


def _remove_orphan(upload: ItemUpload) -> None:
    """Delete what a part wrote after the upload's file had been deleted. Raises UploadRefusedError if it had."""
    if not ItemUpload.objects.filter(pk=upload.pk, has_file=True).exists():
        place_of(upload).unlink(missing_ok=True)
        raise UploadRefusedError(GONE)


def request_check(upload: ItemUpload) -> UploadStep:
    """Queue another dry run. Raises UploadRefusedError."""
    return _requested(upload, UploadStep.Kind.CHECK)


def decide(upload: ItemUpload, choices: Mapping[str, Any], person: Person) -> UploadStep:
    """Store what a person has decided of ambiguous files, and queue another dry run. Raises UploadRefusedError."""
    with transaction.atomic():
        step = _requested(upload, UploadStep.Kind.CHECK)
        ItemUpload.objects.filter(pk=upload.pk).update(choices=dict(choices))
        new = {kind: len(said) for kind, said in choices.items() if isinstance(said, list | dict) and said}
        record("file choices made", upload.name, actor=person, study=upload.study.slug, new=new)
    return step


def request_import(upload: ItemUpload, person: Person, reason: str = "") -> UploadStep:
    """Queue the import in the name of `person`; a locked study needs a reason.

    Raises UploadRefusedError unless the last dry run found no problem.
    """
    last = upload.steps.order_by("-pk").first()
    if last is None or last.kind != UploadStep.Kind.CHECK or last.status != "done" or last.findings.get("problems"):
        raise UploadRefusedError("Only a file whose dry run found no problem can be imported. Check it first.")
    ItemUpload.objects.filter(pk=upload.pk).update(person=person)
    return _requested(upload, UploadStep.Kind.IMPORT, reason)


def _requested(upload: ItemUpload, kind: UploadStep.Kind, reason: str = "") -> UploadStep:
    try:
        with transaction.atomic():
            study = lock_study(upload.study_id)
            why = check_correction(study, reason) if kind == UploadStep.Kind.IMPORT else {}
            upload.refresh_from_db(fields=["has_file", "received"])
            if not upload.has_file or not upload.is_complete:
                raise UploadRefusedError(GONE)
            return _request(upload, kind, why)
    except StudyRefusedError as problem:
        raise UploadRefusedError(str(problem)) from None
    except IntegrityError:
        raise UploadRefusedError(BUSY) from None


def _request(upload: ItemUpload, kind: UploadStep.Kind, why: Mapping[str, str] = NO_REASON) -> UploadStep:
    step = UploadStep.objects.create(upload=upload, kind=kind, findings=dict(why))
    ItemUpload.objects.filter(pk=upload.pk).update(changed_at=database_now())
    enqueue(works()[WORK_KEY], step)
    return step


def discard(upload: ItemUpload, person: Person | None) -> None:
    """Delete the file of an upload that nobody works on. Raises UploadRefusedError.

    Without a `person` the file of an archived study may be deleted too.
    """
    with transaction.atomic():
        lock_study(upload.study_id, archived=person is None)
        if UploadStep.objects.filter(upload=upload, status__in=WAITING).exists():
            raise UploadRefusedError(BUSY)
        if not ItemUpload.objects.filter(pk=upload.pk, has_file=True).update(has_file=False):
            return
        if not upload.steps.filter(kind=UploadStep.Kind.IMPORT, status="done").exists():
            record("file discarded", upload.name, actor=person, study=upload.study.slug, new={"table": upload.table})
    place_of(upload).unlink(missing_ok=True)


def discard_old_files() -> int:
    """Delete the files that were imported, and those that nobody has used for KEPT; return how many.

    A file that cannot be deleted now is left to the next call, and does not keep the others.
    """
    kept = ItemUpload.objects.filter(has_file=True).select_related("study")
    imported = kept.filter(steps__kind=UploadStep.Kind.IMPORT, steps__status="done")
    old = [*imported, *kept.filter(changed_at__lt=database_now() - KEPT).exclude(steps__status__in=WAITING)]
    return sum(_discard_old(upload) for upload in old)


def _discard_old(upload: ItemUpload) -> bool:
    try:
        discard(upload, None)
    except (ImportPendingError, UploadRefusedError):  # busy: a later call deletes it
        return False
    except OSError as problem:
        logger.warning("the file of upload %s could not be deleted: %s", upload.pk, problem)
        return False
    return True
