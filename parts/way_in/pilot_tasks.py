"""Pilots of the study's own tasks, for protocols whose tasks have pages of their own, such as revision sessions.

An attempt's `result` says how many tasks the rater had been given `before` it, and how many `tasks` it gives them. It
is under way until all of them are over, or all that the study had for this rater; then it waits for a researcher.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.desk.assigning import has_room, open_slots, release_expired
from annotation.models import Rater, Slot, Study
from annotation.protocols import protocols
from annotation.studies.corrections import StudyArchivedError
from annotation.studies.locking import ImportPendingError, RaterGoneError, lock_rater, lock_study
from config.database_clock import database_now
from parts.way_in.admission import admit, next_step, passages_of
from parts.way_in.entry_step import EntryStep, steps_of
from parts.way_in.models import StepPassage
from parts.way_in.passing import WAITING, begin, end

OPEN = StepPassage.Outcome.OPEN
AT_ONCE = 50


def begin_pilot(step: EntryStep, rater: Rater, now: datetime) -> StepPassage:
    """Begin a locked rater's pilot: from now on, they may be given its tasks."""
    before = protocols()[rater.study.protocol].flow.given_to(rater)
    return begin(rater, step.key, now, result={"before": before, "tasks": step.body["tasks"]})


def most_given(rater: Rater) -> int | None:
    """Return how many tasks a rater in a pilot may be given in all, or None if they are in none: then in one query.

    A claim asks with the rater locked, and a decision locks the rater, so neither sees half of the other. The steps
    are read again, because the study of a request may be older.
    """
    pilot = _under_way().filter(rater=rater).first()
    if pilot is None:
        return None
    step = next_step(steps_of(Study.objects.get(pk=rater.study_id)), passages_of([rater.pk])[rater.pk])
    return _end_of(pilot.result) if step is not None and step.key == pilot.step else None


def given_in(passage: StepPassage) -> int:
    """Return how many tasks of an attempt the rater has been given; its rater's study must be loaded."""
    given = protocols()[passage.rater.study.protocol].flow.given_to(passage.rater)
    return given - (passage.result or {}).get("before", 0)


def is_over(passage: StepPassage, now: datetime) -> bool:
    """Whether the rater holds no task of an attempt any more, and was given all of them or all that the study had.

    Nobody has finished who was given none: they begin when a place becomes free.
    """
    given, rater = given_in(passage), passage.rater
    if given < 1 or Slot.objects.filter(holder=rater, state=Slot.State.HELD, lease_until__gte=now).exists():
        return False
    if given >= (passage.result or {}).get("tasks", 0) or not has_room(rater.study, rater):
        return True
    return not open_slots(rater.study, rater).exists()


def end_if_over(rater: Rater) -> bool:
    """Let the rater wait for a decision if all tasks of their pilot are over; return whether they have begun to.

    If the study cannot be changed now, a worker tries again.
    """
    if not _under_way().filter(rater=rater).exists():
        return False
    try:
        with transaction.atomic():
            study = lock_study(rater.study_id)
            locked = lock_rater(rater.pk, "person")
            locked.study = study
            return _end(study, locked, database_now())
    except (ImportPendingError, StudyArchivedError, RaterGoneError):
        return False


def _end(study: Study, rater: Rater, now: datetime) -> bool:
    passage = _under_way().filter(rater=rater).first()
    if passage is None:
        return False
    passage.rater = rater
    release_expired(study, now)  # a place whose lease has ended may be the rater's next
    if not is_over(passage, now):
        return False
    end(passage, WAITING, now, actor=rater.person)
    admit(study, rater)
    return True


def end_pilots() -> int:
    """End some pilots whose last task was not sent in time, and return how many."""
    now, ended = database_now(), 0
    for passage in _under_way().filter(rater__study__status=Study.Status.LIVE).select_related("rater__study"):
        ended += is_over(passage, now) and end_if_over(passage.rater)
        if ended == AT_ONCE:
            break
    return ended


def _under_way() -> QuerySet[StepPassage]:
    """The attempts under way that have no practice tasks: those at pilots of the study's own tasks."""
    return StepPassage.objects.filter(outcome=OPEN, tasks=[], rater__person__isnull=False).order_by("pk")


def _end_of(result: Any) -> int:
    return int(result["before"]) + int(result["tasks"])
