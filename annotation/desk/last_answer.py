"""The rater's last answer, which can be undone, and what an undo took back."""

from datetime import datetime
from typing import Any
from uuid import UUID

from annotation.desk.addresses import task_address
from annotation.desk.task_rows import DeskRow
from annotation.models import Annotation, Assignment, Rater
from annotation.protocols import protocols


def last_answer(rater: Rater) -> dict[str, Any] | None:
    """The rater's last submitted or skipped task, if it can be undone: address, revision, status and time."""
    mine = Annotation.objects.filter(rater=rater, is_current=True, status__in=Annotation.ANSWERED)
    last = mine.order_by("-pk").first()
    if last is None:
        return None
    given = Assignment.objects.select_related("rater__study", "task")
    before = given.filter(rater=rater, task=last.task_id).first()
    if before is None:  # the answer was imported: it was never given out here, so there is no page to undo it on
        return None
    if protocols()[before.rater.study.protocol].flow.own_page(before) is not None:
        return None  # it is taken back on its own page
    return _undoable(before.key, last.revision, last.status, last.submitted_at)


def _undoable(key: UUID, revision: int, status: str, at: datetime | None) -> dict[str, Any]:
    undo = task_address("undo_task", key)
    return {"undo_url": undo, "revision": revision, "status": status, "submitted_at": at}


def undo_context(row: DeskRow) -> dict[str, Any]:
    """What the page of a task says about undoing: the `last` answer to another one, and what was `undone` here."""
    last = None if row.last is None or _has_own_page(row, row.last.key) else _undoable(*row.last)
    return {"last": last, "undone": _undone(row.current)}


def _has_own_page(row: DeskRow, key: UUID) -> bool:
    flow = protocols()[row.study.protocol].flow
    if not flow.has_own_pages:
        return False
    before = Assignment.objects.select_related("rater__study", "task").get(key=key)
    return flow.own_page(before) is not None


def _undone(current: Annotation | None) -> str:
    """The status of the revision that the current one withdraws: `submitted`, `skipped`, or empty."""
    if current is None or current.status != "withdrawn":
        return ""
    same = Annotation.objects.filter(task=current.task_id, rater=current.rater_id, revision=current.revision - 1)
    return same.filter(status__in=Annotation.ANSWERED).values_list("status", flat=True).first() or ""
