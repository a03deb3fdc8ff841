"""What becomes of a closed study: it is locked, unlocked, archived or brought back; each is an owner's decision."""

from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.locking import lock_study
from config.database_clock import database_now

CLOSE_FIRST = "Only a closed study can be locked or archived. Close it first."


def lock(study: Study, actor: Person | None) -> None:
    """Let a closed study be corrected only with a reason. Nothing happens if it is locked."""
    with transaction.atomic():
        now = _closed(study)
        if now.locked_at is None:
            _change(now, "study locked", actor, locked_at=database_now())
    study.locked_at = now.locked_at


def unlock(study: Study, reason: str, actor: Person | None) -> None:
    """Let a locked study be corrected without reasons again; this needs one."""
    with transaction.atomic():
        now = _closed(study)
        why = check_correction(now, reason)
        if now.locked_at is not None:
            _change(now, "study unlocked", actor, why, locked_at=None)
    study.locked_at = now.locked_at


def archive(study: Study, actor: Person | None) -> None:
    """Make a closed study read-only and take it off the home pages. Nothing happens if it is archived."""
    with transaction.atomic():
        now = _closed(study)
        if now.archived_at is None:
            _change(now, "study archived", actor, archived_at=database_now())
    study.archived_at = now.archived_at


def bring_back(study: Study, actor: Person | None) -> None:
    """Undo `archive`."""
    with transaction.atomic():
        now = _closed(study)
        if now.archived_at is not None:
            _change(now, "study brought back", actor, archived_at=None)
    study.archived_at = now.archived_at


def _closed(study: Study) -> Study:
    now = lock_study(study.pk, archived=True)
    if now.status != Study.Status.CLOSED:
        raise StudyRefusedError(CLOSE_FIRST)
    return now


def _change(study: Study, action: str, actor: Person | None, new: dict[str, str] | None = None, **values: Any) -> None:
    for name, value in values.items():
        setattr(study, name, value)
    study.save(update_fields=list(values))
    record(action, study.slug, actor=actor, study=study.slug, new=new)
