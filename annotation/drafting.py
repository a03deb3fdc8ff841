"""Keeping what a page has typed but not submitted, and hearing that somebody still works on it."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.assigning import renew_lease
from annotation.models import Assignment, DraftConflict, Rater, Slot
from annotation.submitting import Effort, Form, added_use, current_annotation
from annotation.text import check_json


class DraftConflictError(Exception):
    """Another page saved since: `assignment` holds what stands; what was sent is kept aside."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__("Another page has saved this task since.")
        self.assignment = assignment


class AlreadySubmittedError(Exception):
    """The task was submitted since the page was made: nothing is reopened or changed."""


def save_draft(assignment: Assignment, form: Form, *, base_version: int, revision: int) -> int:
    """Keep what was typed; returns the draft's new version.

    `base_version` and `revision` are those that the page knows. Raises DraftConflictError,
    AlreadySubmittedError and TextRefusedError.
    """
    check_json(form)
    with transaction.atomic():
        Rater.objects.select_for_update().get(pk=assignment.rater_id)
        fresh = Assignment.objects.get(pk=assignment.pk)
        current = current_annotation(fresh)
        if revision != (current.revision if current else 0):
            raise AlreadySubmittedError
        if fresh.draft_version == base_version:
            version, now = base_version + 1, timezone.now()
            Assignment.objects.filter(pk=fresh.pk).update(
                draft=form, draft_version=version, seen_at=now, opened_at=fresh.opened_at or now
            )
            return version
        if fresh.draft != form:
            DraftConflict.objects.create(assignment=fresh, base_version=base_version, body=form)
    if fresh.draft == form:  # the same content again, as after an answer that was lost on its way
        return fresh.draft_version
    raise DraftConflictError(fresh)


def pulse(assignment: Assignment, effort: Effort) -> Slot | None:
    """A sign of life: renew the lease and add what the page counted; returns the rater's slot, None without one."""
    with transaction.atomic():
        rater = Rater.objects.select_for_update().select_related("study").get(pk=assignment.rater_id)
        fresh = Assignment.objects.get(pk=assignment.pk)
        now = timezone.now()
        Assignment.objects.filter(pk=fresh.pk).update(
            seen_at=now,
            opened_at=fresh.opened_at or now,
            visible_seconds=fresh.visible_seconds + effort.visible_seconds,
            active_seconds=fresh.active_seconds + effort.active_seconds,
            tool_use=added_use(fresh.tool_use, effort.tool_use),
        )
        slot = Slot.objects.filter(task=fresh.task_id, holder=rater).first()
        if slot is not None and slot.state == Slot.State.HELD:
            renew_lease(rater.study, slot, now)
        return slot


def clear_draft(assignment: Assignment, draft: Form | None = None) -> None:
    """Have nothing typed any more, or `draft`: what was typed has become something. Pages made before it conflict."""
    Assignment.objects.filter(pk=assignment.pk).update(draft=draft, draft_version=F("draft_version") + 1)


def keep_aside(assignment: Assignment, form: Form) -> None:
    """Keep what a page sent too late to be used."""
    DraftConflict.objects.create(assignment=assignment, base_version=assignment.draft_version, body=form)
