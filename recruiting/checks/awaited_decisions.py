"""Raters who are paused until a researcher has decided: they wait, and nothing of theirs ends meanwhile."""

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, Q

from annotation.models import Rater
from recruiting.checks.check_tables import RaterExclusion, RaterNotice
from recruiting.crowds.crowd_tables import CrowdStay
from recruiting.rater_messages.message_tables import RaterPause

PATIENCE = timedelta(hours=1)
"""How much longer the stay of somebody lasts at least who could not continue for a while."""


def awaits_decision(rater: OuterRef | Rater) -> Q:
    """Whether a rater's pause waits for a researcher: that of a rule until it is answered, or a researcher's own.

    An exclusion is a decision. So is an answer to a rule's notice that gives the rater no tasks again.
    """
    asked = RaterNotice.objects.filter(rater=rater, paused=True, answered_at=None)
    held = RaterPause.objects.filter(rater=rater, ended_at=None)
    excluded = RaterExclusion.objects.filter(rater=rater, ended_at=None)
    return (Q(Exists(asked)) | Q(Exists(held))) & ~Q(Exists(excluded))


def is_awaited(rater: Rater) -> bool:
    """Whether this rater is paused and waits for a researcher."""
    waiting = Rater.objects.filter(awaits_decision(OuterRef("pk")), pk=rater.pk, paused_at__isnull=False)
    return waiting.exists()


def give_back_time(rater: Rater, now: datetime) -> None:
    """Move the end of a locked rater's stay by as long as they were paused; `rater.paused_at` still says since when."""
    due = CrowdStay.objects.filter(rater=rater, ended_at=None, due_at__isnull=False)
    if rater.paused_at is not None:
        due.update(due_at=F("due_at") + (now - rater.paused_at))
    due.filter(due_at__lt=now + PATIENCE).update(due_at=now + PATIENCE)
