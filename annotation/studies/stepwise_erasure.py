"""Delete a large study on SQLite in short steps, so that other people can write in between.

SQLite has one write lock, and a study with 600,000 ratings takes minutes to delete. One short transaction decides the
deletion: it marks the study, removes everybody's access and writes the entry of the audit. From then on the study can
only be deleted; reading or changing it is refused as during an import (`annotation.studies.locking`). Then rows go in
steps of at most STEP_ROWS: rows that refer to others before those, so that the database's checks pass at each commit.
After a kill the deletion is continued with what is left.

On PostgreSQL a long transaction blocks nobody, so there a deletion is one transaction.
"""

import time
from collections.abc import Iterator
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet

from accounts.audited_erasure import (
    STUDY_ERASED,
    ErasureRefusedError,
    audited_erasure,
    check_absent_parts,
    continued_erasure,
    erased_audit,
)
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.models import Invitation, Membership, Study
from annotation.studies.locking import lock_study
from annotation.studies.study_erasure import BUSY, check_status, erase_rows, has_running, scope_of, sums_of
from config.background.rows import Row, Status
from config.database_clock import database_now
from config.write_pauses import STEP_SECONDS, WritePauses

STEP_ROWS = 5000
"""Rows that one transaction deletes at most."""
FEW_ROWS = 500
"""Rows that one statement names."""
DELETED = "The study is being deleted."


def goes_in_steps() -> bool:
    """Whether a large study is deleted in steps here."""
    return connection.vendor == "sqlite" and not connection.in_atomic_block


def decide_erasure(study: Study, actor: Person | None) -> None:
    """Decide that the study goes. Nobody has access to it afterwards. Does nothing if it is decided already.

    Raises ErasureRefusedError and ImportPendingError; the study is kept then, without work that was waiting.
    """
    if Study.objects.filter(pk=study.pk, being_erased=True).exists():
        return
    check_status(study)
    if has_running(study):
        raise ErasureRefusedError(BUSY)
    new, pauses = sums_of(study), WritePauses()
    for rows in _work_of(study):
        while _stop_some(rows):
            pauses.take()
    with audited_erasure(STUDY_ERASED, scope_of(study), actor=actor, study=study.slug, new=new) as erased:
        current = lock_study(study.pk, archived=True)
        check_status(current)
        if any(rows.filter(status__in=(Status.QUEUED, Status.RUNNING)).exists() for rows in _work_of(study)):
            raise ErasureRefusedError(BUSY)
        Study.objects.filter(pk=study.pk).update(being_erased=True)
        erased.delete(Membership.objects.filter(study=study))
        erased.delete(Invitation.objects.filter(study=study))


def _work_of(study: Study) -> list[QuerySet[Any]]:
    return [
        model._default_manager.filter(**{path: study.pk})
        for part in all_erasing()
        for model, path in part.study_rows
        if issubclass(model, Row)
    ]


def _stop_some(work: QuerySet[Any]) -> bool:
    """Stop waiting work for one step. Return whether there may be more."""
    with transaction.atomic():
        keys = list(work.filter(status=Status.QUEUED).order_by().values_list("pk", flat=True)[:FEW_ROWS])
        waiting = work.model._default_manager.filter(pk__in=keys, status=Status.QUEUED)
        waiting.update(status=Status.STOPPED, reason=DELETED, ended_at=database_now())
    return len(keys) == FEW_ROWS


def continue_erasure(study: Study, seconds: float | None = None) -> bool:
    """Delete the rows of a study whose deletion is decided, in steps, for about `seconds` at most.

    Return whether all are gone. Files go first. Several processes may do this at the same time.

    Raises ErasureRefusedError if a part with rows of the study has been taken out.
    """
    check_absent_parts(study.slug)
    end, pauses = None if seconds is None else time.monotonic() + seconds, WritePauses()
    for part in all_erasing():
        part.remove_files(study)
    for rows in _in_order(study):
        keys = _keys(rows)
        while keys:
            _erase_some(rows.model, keys, study)
            if end is not None and time.monotonic() > end:
                return False
            pauses.take()
    try:
        with continued_erasure(STUDY_ERASED, scope_of(study), study=study.slug) as erased:
            erase_rows(study, erased, running=True)
    except IntegrityError:  # somebody wrote meanwhile: the next call deletes that, too
        return False
    return True


def _erase_some(model: type[Model], keys: list[int], study: Study) -> None:
    """Delete the last of the rows with these keys, and take them from the list, for one step."""
    until, left = time.monotonic() + STEP_SECONDS, STEP_ROWS
    with continued_erasure(STUDY_ERASED, scope_of(study), study=study.slug) as erased:
        while keys and left and time.monotonic() < until:
            count = min(FEW_ROWS, left)
            erased.delete(model._default_manager.filter(pk__in=keys[-count:]))
            del keys[-count:]
            left -= count


def _keys(rows: QuerySet[Any]) -> list[int]:
    """The keys of rows; those that others of the same table refer to come before those."""
    own = [field for field in rows.model._meta.concrete_fields if field.related_model is rows.model]
    if not own:
        return list(rows.order_by().values_list("pk", flat=True))
    [field] = own
    target = dict(rows.order_by("pk").values_list("pk", field.attname))
    depths: dict[int, int] = {}
    for key in target:
        way = []
        at: int | None = key
        while at is not None and at in target and at not in depths:
            way.append(at)
            at = target[at]
        depth = depths.get(at, -1) if at is not None else -1
        for one in reversed(way):
            depths[one] = depth = depth + 1
    return sorted(target, key=lambda key: depths[key])


def _in_order(study: Study) -> Iterator[QuerySet[Any]]:
    """The rows of the study's tables without the study itself, each before those that they refer to."""
    yield from erased_audit(study.slug)
    paths = {model: path for part in all_erasing() for model, path in part.study_rows if model is not Study}
    while paths:
        named = {other for model in paths for other in _named_by(model)}
        free = [model for model in paths if model not in named]
        if not free:
            raise ValueError(f"Tables refer to each other in a circle: {sorted(one.__name__ for one in paths)}")
        for model in free:
            yield model._default_manager.filter(**{paths.pop(model): study.pk})


def _named_by(model: type[Model]) -> set[Any]:
    """The other models to which a model's foreign keys point."""
    return {field.related_model for field in model._meta.concrete_fields} - {None, model}
