"""Drafts of answers, and the heartbeats of the pages that they are written on."""

from django.db import transaction
from django.db.models import F

from annotation.desk.assigning import renew_lease
from annotation.desk.conflicting_drafts import check_size, keep_aside
from annotation.desk.submitting import Effort, Form, added_use, current_annotation
from annotation.models import Assignment, Slot
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from config.text_validation import check_json


class DraftConflictError(Exception):
    """Another page saved a newer draft, which `assignment` holds; the late one is kept aside."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__("Another page has saved this task since.")
        self.assignment = assignment


class AlreadySubmittedError(Exception):
    """The task was submitted after the page was opened: nothing is reopened or changed."""


def save_draft(assignment: Assignment, form: Form, *, base_version: int, revision: int) -> int:
    """Save a draft; returns its new version.

    `base_version` and `revision` are the versions of the draft and of the answer that the page knows. Raises
    DraftConflictError, AlreadySubmittedError and TextRefusedError, of which FormTooLargeError is one kind.
    """
    check_json(form)
    check_size(assignment, form)
    with transaction.atomic():
        lock_rater(assignment.rater_id)
        fresh = Assignment.objects.get(pk=assignment.pk)
        current = current_annotation(fresh)
        if revision != (current.revision if current else 0):
            raise AlreadySubmittedError
        if fresh.draft_version == base_version:
            version, now = base_version + 1, database_now()
            Assignment.objects.filter(pk=fresh.pk).update(
                draft=form, draft_version=version, seen_at=now, opened_at=fresh.opened_at or now
            )
            return version
        if fresh.draft != form:
            keep_aside(fresh, form, base_version)
    if fresh.draft == form:  # the same again, as after a response that was lost
        return fresh.draft_version
    raise DraftConflictError(fresh)


def pulse(assignment: Assignment, effort: Effort) -> Slot | None:
    """Take a heartbeat: renew the lease and add what the page counted; returns the rater's slot, or None."""
    with transaction.atomic():
        rater = lock_rater(assignment.rater_id, "study")
        fresh = Assignment.objects.get(pk=assignment.pk)
        now = database_now()
        Assignment.objects.filter(pk=fresh.pk).update(
            seen_at=now,
            opened_at=fresh.opened_at or now,
            visible_seconds=fresh.visible_seconds + effort.visible_seconds,
            active_seconds=fresh.active_seconds + effort.active_seconds,
            tool_use=added_use(fresh.tool_use, effort.tool_use),
        )
        own = Slot.objects.filter(task=fresh.task_id, holder=rater)
        slot = own.first()
        if slot is None or slot.state != Slot.State.HELD:
            return slot
        return own.get() if renew_lease(rater.study, slot, now) else None


def clear_draft(assignment: Assignment, draft: Form | None = None) -> None:
    """Replace the draft by `draft`, or by none; pages that still have the old one get a conflict."""
    Assignment.objects.filter(pk=assignment.pk).update(draft=draft, draft_version=F("draft_version") + 1)
