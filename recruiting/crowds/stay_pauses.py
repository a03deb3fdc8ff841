"""A stay lasts longer by the time for which its rater is paused."""

from datetime import datetime, timedelta

from django.db.models import F

from annotation.models import Rater
from recruiting.crowds.crowd_tables import CrowdStay

PATIENCE = timedelta(hours=1)
"""How much longer the stay of somebody lasts at least who could not continue for a while."""


def give_back_time(rater: Rater, now: datetime) -> None:
    """Move the end of a locked rater's stay by as long as they were paused; `rater.paused_at` still says since when."""
    due = CrowdStay.objects.filter(rater=rater, ended_at=None, due_at__isnull=False)
    if rater.paused_at is not None:
        due.update(due_at=F("due_at") + (now - rater.paused_at))
    due.filter(due_at__lt=now + PATIENCE).update(due_at=now + PATIENCE)


def has_ended(rater: Rater) -> bool:
    """Whether the rater came by a link and their stay has ended."""
    return CrowdStay.objects.filter(rater=rater, ended_at__isnull=False).exists()
