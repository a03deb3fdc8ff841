"""Requests, keeps and removes exports: the only writer of kept exports and their files."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import AuditEntry, Person
from annotation.blinding import is_blind
from annotation.erasing import ANSWERS_TAKEN_BACK, RUN_REPLACED
from annotation.models import Annotation, Item, Study
from annotation.studies.locking import lock_study, refuse_import_since
from config.background.claiming import Claim
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from files.writing import FORMATS
from reports.kept.data_state import data_state
from reports.kept.kept_reports import ReportOutdatedError, last_erasures
from reports.models import KeptExport

WORK_KEY = "export"
FOLDER = "exports"
BUNDLE = "bundle"
VERSION = 1
"""Raise it if the files change although the data have not."""
REPLACED = "Newer exports took its place."
AGED = "It was kept for as long as this site keeps exports."
LONGEST_STEP = timedelta(days=1)
"""How much earlier than it is visible a step may be dated."""
ROUTINE = (REPLACED, AGED)
"""Reasons whose tombstones are not kept for good."""


@dataclass(frozen=True)
class WrittenExport:
    """An export that a worker has written to `path`, and what is kept with it."""

    path: Path
    fields: dict[str, Any]
    removals: tuple[int, ...]


def all_forms() -> tuple[str, ...]:
    """What can be requested: the formats of the tables, and the bundle."""
    return (*FORMATS, BUNDLE)


def folder_of(study_pk: int) -> Path:
    """The folder of a study's kept exports."""
    return Path(settings.VAR) / FOLDER / str(study_pk)


def place_of(row: KeptExport) -> Path:
    """The file of a kept export."""
    return folder_of(row.study_id) / f"{row.key}.zip"


def download_name(row: KeptExport) -> str:
    """What the file is called on the computer of the person who downloads it."""
    return f"{row.study.slug}-{row.form}-{row.read_at:%Y-%m-%d}.zip"


def export_state(study: Study) -> str:
    """The state of the data that an export of now has in it."""
    return data_state(study, VERSION)


def exports_of(study: Study) -> QuerySet[KeptExport]:
    """The exports that may be shown: none that names the systems of a study that is blinded now."""
    rows = KeptExport.objects.filter(study=study)
    return rows.filter(coded=True) | rows.exclude(status=Status.DONE) if is_blind(study) else rows


def current_exports(study: Study, forms: Collection[str], state: str) -> list[KeptExport]:
    """The kept exports of the data in this state whose files are there, in the order of `forms`, the newest first."""
    rows = exports_of(study).filter(form__in=forms, has_file=True, state=state).order_by("-pk")
    there = [row for row in rows if place_of(row).is_file()]
    return sorted(there, key=lambda row: list(forms).index(row.form))


def request_export(study: Study, form: str, person: Person | None, via: str) -> KeptExport:
    """The kept export of the present data in this format; if there is none, a new row, whose file a worker will write.

    Raises ImportPendingError.
    """
    refuse_import_since(study)
    state = export_state(study)
    try:
        with transaction.atomic():
            lock_study(study.pk, archived=True)
            row = next(iter(current_exports(study, (form,), state)), None)
            if row is None:
                row = KeptExport.objects.create(study=study, form=form, state=state, requested_by=person)
                enqueue(works()[WORK_KEY], row)
            taken = row.status == Status.DONE
            new = {"format": form, "via": via, "taken": taken}
            record("export requested", f"export {row.pk}", actor=person, study=study.slug, new=new)
            return row
    except IntegrityError:  # one is being written
        return KeptExport.objects.filter(study=study, form=form).order_by("-pk")[:1].get()


def keep_export(claim: Claim, made: WrittenExport) -> None:
    """Give the file its name and store what is known of it, both or nothing; older files make room.

    Raises ClaimLostError, ReportOutdatedError if anything was erased or withdrawn meanwhile, and ImportPendingError.
    """
    row: KeptExport = claim.row
    with transaction.atomic():
        lock_study(row.study_id, archived=True)  # an erasure holds this lock until it has removed kept exports
        read_at = made.fields["read_at"]
        withdrawn = Item.objects.filter(study=row.study_id, withdrawn_at__gte=read_at)
        if removals(row.study, read_at) != made.removals or withdrawn.exists() or _taken_back(row, read_at).exists():
            raise ReportOutdatedError
        with claim.finish(has_file=True, step="", **made.fields):
            os.replace(made.path, place_of(row))  # before the commit: a row never promises a file that is not there
        with_file = KeptExport.objects.filter(study=row.study_id, has_file=True).order_by("-pk")
        remove(KeptExport.objects.filter(pk__in=[one.pk for one in with_file[settings.KEPT_EXPORTS :]]), REPLACED)


def removals(study: Study, read_at: datetime) -> tuple[int, ...]:
    """The newest erasures, and the steps since a day before `read_at` after which answers count no longer."""
    actions = (ANSWERS_TAKEN_BACK, RUN_REPLACED)
    steps = AuditEntry.objects.filter(study=study.slug, at__gte=read_at - LONGEST_STEP, action__in=actions)
    return (*last_erasures(), *steps.order_by("pk").values_list("pk", flat=True))


def _taken_back(row: KeptExport, read_at: datetime) -> QuerySet[Annotation]:
    """Answers of the study that were taken back since the data were read."""
    left = Annotation.objects.exclude(status=Annotation.Status.SUBMITTED).filter(revision__gt=1)
    return left.filter(rater__study=row.study_id, submitted_at__gte=read_at)


def remove(rows: QuerySet[KeptExport], reason: str) -> int:
    """Turn exports into tombstones. Their files go when the transaction commits; return how many there were."""
    with transaction.atomic():
        found = list(rows.filter(has_file=True))
        if not found:
            return 0
        gone = KeptExport.objects.filter(pk__in=[row.pk for row in found])
        gone.update(has_file=False, removed_at=database_now(), removed_for=reason)
        for row in found:
            transaction.on_commit(partial(place_of(row).unlink, missing_ok=True))
        return len(found)


def remove_aged() -> None:
    """Remove the files that are too old, and tombstones and failures that nobody needs any more."""
    old = database_now() - timedelta(days=settings.KEPT_EXPORT_DAYS)
    if KeptExport.objects.filter(has_file=True, ended_at__lt=old).exists():
        remove(KeptExport.objects.filter(ended_at__lt=old), AGED)
    KeptExport.objects.filter(removed_at__lt=old, removed_for__in=ROUTINE).delete()
    KeptExport.objects.filter(status__in=(Status.FAILED, Status.STOPPED), ended_at__lt=old).delete()


def remove_orphans() -> None:
    """Delete what lost workers and interrupted removals have left in the folder of exports."""
    for folder in (Path(settings.VAR) / FOLDER).glob("*/"):
        if not folder.name.isdigit():
            continue
        there = list(folder.iterdir())  # before the rows: what comes later is not looked at
        rows = KeptExport.objects.filter(study=int(folder.name))
        waiting = rows.filter(status__in=WAITING).values_list("key", "token")
        names = {str(name) for pair in waiting for name in pair}
        names |= {str(key) for key in rows.filter(has_file=True).values_list("key", flat=True)}
        for path in there:
            if path.name.partition(".")[0] not in names:
                discard(path)


def discard(path: Path) -> None:
    """Delete a file, or a folder with all files in it."""
    if path.is_dir():
        for inner in path.iterdir():
            discard(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
