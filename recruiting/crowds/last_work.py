"""When somebody last did something in a study: the heartbeat of a task's page, an answer, or a step."""

from datetime import datetime

from django.db.models import Max

from annotation.models import Annotation, Assignment, Rater
from recruiting.models import Consent, PracticeAnswer, StepPassage


def last_worked_at(rater: Rater) -> datetime | None:
    """Return the latest of these times, or None if the rater has done nothing."""
    found = [
        *Assignment.objects.filter(rater=rater).aggregate(Max("seen_at"), Max("created_at")).values(),
        *Annotation.objects.filter(rater=rater).aggregate(Max("submitted_at")).values(),
        *PracticeAnswer.objects.filter(passage__rater=rater).aggregate(Max("submitted_at")).values(),
        *StepPassage.objects.filter(rater=rater).aggregate(Max("opened_at"), Max("ended_at")).values(),
        *Consent.objects.filter(rater=rater).aggregate(Max("agreed_at")).values(),
    ]
    return max((one for one in found if one is not None), default=None)
