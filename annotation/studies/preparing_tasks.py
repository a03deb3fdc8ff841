"""Requests that workers make the tasks of a study's items, and says how far they are.

A few items get their tasks at once, within a request; how many are left is never counted further than that.
"""

from django.db import IntegrityError, transaction

from accounts.models import Person
from annotation.models import Study, TaskPreparation
from annotation.pools import planned_items
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.kept_counts import exceeds
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.live_checks import blocking_problems
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.waking import enqueue

WORK_KEY = "task_preparation"
FEW_ITEMS = 100
"""Items that get their tasks within a request."""
SECONDS = 1.0
UNDER_WAY = "Workers are preparing this study's items. Try again when they are done."


def prepare_few(study: Study) -> bool:
    """Make the missing tasks if only few items have none; return whether every item has its tasks now."""
    left = planned_items(study).filter(pk__gt=study.planned_through)
    return not exceeds(left, FEW_ITEMS) and prepare(study, SECONDS)


def go_live(study: Study, person: Person) -> bool:
    """Let annotators work, at once if only few items have no tasks yet; return whether they can start now.

    Otherwise workers make the tasks first. Raises StudyRefusedError.
    """
    if problems := blocking_problems(study):
        raise StudyRefusedError(f"The study cannot go live yet. {' '.join(one.text for one in problems)}")
    if not prepare_few(study):
        request_preparation(study, person, goes_live=True)
        return False
    make_live(study, person)
    return True


def request_preparation(study: Study, person: Person | None, *, goes_live: bool) -> None:
    """Queue the preparation of a study, unless it is queued or running already.

    One that only makes tasks will also open the study if that is asked for meanwhile.
    """
    waiting = TaskPreparation.objects.filter(study=study, status__in=WAITING)
    while True:
        try:
            with transaction.atomic():
                row = TaskPreparation.objects.create(study=study, person=person, goes_live=goes_live)
                enqueue(works()[WORK_KEY], row)
                return
        except IntegrityError:
            if waiting.update(**({"goes_live": True, "person": person} if goes_live else {"study": study})):
                return  # otherwise it has just ended


def request_redundancy(study: Study, count: int, reason: str, person: Person | None) -> None:
    """Queue the change of all the study's tasks to `count` places each. Raises StudyRefusedError if one is under way.

    The caller has checked that the study may be changed, and changed the study itself.
    """
    try:
        with transaction.atomic():
            row = TaskPreparation.objects.create(
                study=study, person=person, goes_live=False, redundancy=count, why=reason
            )
            enqueue(works()[WORK_KEY], row)
    except IntegrityError:
        raise StudyRefusedError(UNDER_WAY) from None


def newest_preparation(study: Study) -> TaskPreparation | None:
    """The preparation that was requested last."""
    return TaskPreparation.objects.filter(study=study).order_by("-pk").first()
