"""When somebody last did something in a study: the heartbeat of a task's page, an answer, or what parts ask of them."""

from datetime import datetime

from django.db.models import Max

from annotation.models import Annotation, Assignment, Rater
from config.parts import parts_of


def last_worked_at(rater: Rater) -> datetime | None:
    """Return the latest of these times, or None if the rater has done nothing."""
    times = (
        *Assignment.objects.filter(rater=rater).aggregate(Max("seen_at"), Max("created_at")).values(),
        *Annotation.objects.filter(rater=rater).aggregate(Max("submitted_at")).values(),
        *(part.last_worked_at(rater) for part in parts_of(rater.study)),
    )
    return max((time for time in times if time is not None), default=None)
