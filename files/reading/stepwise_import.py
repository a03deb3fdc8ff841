"""Move staged rows into the tables: at once, or, for a large import on SQLite, in short steps.

SQLite has one write lock. A large import that held it throughout would stop the whole site, so its checked rows are
first stored in the database (`PendingRows`), in steps. Then one transaction decides the import by pointing the study at
it, and the rows are moved into their tables, again in steps. A decided import is always completed: by its own process,
or, after a kill, by workers' upkeep, at the next start, or by the next import. Until then, reading or changing the
study as a whole is refused (`annotation.studies.locking`), so nobody sees half an import.

On PostgreSQL a long transaction blocks nobody, so an import is one transaction.
"""

import time
from collections.abc import Iterator
from datetime import timedelta

from django.db import connection, transaction

from annotation.models import PendingImport, PendingRows, Rater, Study
from config.database_clock import database_now
from config.write_pauses import STEP_SECONDS, WritePauses
from files.reading.row_packing import unpack
from files.reading.staging import Staging

FEW_ROWS, FEW_BYTES = 5_000, 4 * 1024 * 1024
"""Rows written in one step."""
RESUMED_AFTER = timedelta(seconds=5)
ABANDONED_AFTER = timedelta(hours=1)
DISCARDED_AT_ONCE = 20


def fits_one_step(staging: Staging) -> bool:
    """Return whether the staged rows can be written in the transaction that decides the import."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return True
    return staging.rows <= FEW_ROWS and staging.size <= FEW_BYTES


def keep(staging: Staging, slug: str) -> PendingImport:
    """Store all staged rows in the database, in steps, as an import that is not decided yet."""
    pending = PendingImport.objects.create(slug=slug, moved_at=database_now())
    packed, pauses = staging.packed(), WritePauses()
    while _keep_some(pending, packed):
        pauses.take()
    return pending


def _keep_some(pending: PendingImport, packed: Iterator[bytes]) -> bool:
    """Store rows for one step. Return whether there may be more."""
    end = time.monotonic() + STEP_SECONDS
    with transaction.atomic():
        PendingImport.objects.filter(pk=pending.pk).update(moved_at=database_now())
        for one in packed:
            PendingRows.objects.create(pending_import=pending, packed=one)
            if time.monotonic() > end:
                return True
    return False


def decide(pending: PendingImport, study: Study, staging: Staging) -> None:
    """Decide the import: from now on it can only be completed. Call this in the transaction that changes the study.

    People whose own work could collide with it wait until it is complete.
    """
    Study.objects.filter(pk=study.pk).update(pending_import=pending)
    people = Rater.objects.filter(study=study, person__isnull=False)
    if not staging.adds_turn_tasks:
        named = [pk for pk in people.values_list("pk", flat=True) if pk in staging.raters]
        people = Rater.objects.filter(pk__in=named)
    people.update(import_pending=True)


def complete(pending: int, seconds: float | None = None) -> bool:
    """Move the rows of a decided import into their tables, in steps, for about `seconds` at most.

    Return whether all are moved. Several processes may do this at the same time: each step takes the next rows, or
    finds that none are left.
    """
    end, pauses = None if seconds is None else time.monotonic() + seconds, WritePauses()
    while _move_some(pending):
        if end is not None and time.monotonic() > end:
            return False
        pauses.take()
    return True


def _move_some(pending: int) -> bool:
    """Move rows for one step. Return whether some are left."""
    end = time.monotonic() + STEP_SECONDS
    with transaction.atomic():
        left = PendingRows.objects.filter(pending_import=pending).order_by("pk")
        while (rows := left.first()) is not None:
            unpack(bytes(rows.packed)).write()
            PendingRows.objects.filter(pk=rows.pk).delete()
            if time.monotonic() > end:
                PendingImport.objects.filter(pk=pending).update(moved_at=database_now())
                return True
        _end(pending)
    return False


def _end(pending: int) -> None:
    """Reopen the study: its import is complete."""
    Rater.objects.filter(study__pending_import=pending, import_pending=True).update(import_pending=False)
    Study.objects.filter(pending_import=pending).update(pending_import=None)
    PendingImport.objects.filter(pk=pending).delete()


def discard(pending: int) -> None:
    """Delete the stored rows of an import that was not decided, in steps."""
    pauses = WritePauses()
    while True:
        with transaction.atomic():
            some = PendingRows.objects.filter(pending_import=pending).order_by("pk")[:DISCARDED_AT_ONCE]
            deleted, _ = PendingRows.objects.filter(pk__in=list(some.values_list("pk", flat=True))).delete()
            if not deleted:
                PendingImport.objects.filter(pk=pending, study=None).delete()
                return
        pauses.take()


def complete_imports(slug: str | None = None) -> int:
    """Complete all decided imports, or those into one study. Return how many there were."""
    decided = Study.objects.filter(pending_import__isnull=False, **({} if slug is None else {"slug": slug}))
    found = list(decided.values_list("pending_import", flat=True))
    for pending in found:
        complete(pending)
    return len(found)


def discard_undecided(slug: str) -> None:
    """Discard imports into a study that were killed before they were decided. Call this with the import lock held."""
    for pending in PendingImport.objects.filter(slug=slug, study=None).values_list("pk", flat=True):
        discard(pending)


def resume(seconds: float) -> None:
    """Continue imports whose process seems to have died, for about `seconds` at most."""
    now = database_now()
    for pending in PendingImport.objects.filter(study__isnull=False, moved_at__lt=now - RESUMED_AFTER):
        if not complete(pending.pk, seconds):
            return
    for pending in PendingImport.objects.filter(study=None, moved_at__lt=now - ABANDONED_AFTER):
        discard(pending.pk)
