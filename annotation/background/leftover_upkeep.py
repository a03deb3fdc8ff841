"""Periodic upkeep: deletes invitations that ended long ago, and drafts kept aside that nobody asked for again.

Each run does a bounded amount; what is left waits for the next one.
"""

from datetime import timedelta

from django.db.models import Q

from annotation.models import DraftConflict, Invitation
from config.background.kinds import Sweep
from config.database_clock import database_now

EVERY = 600
AT_ONCE = 1000
INVITATIONS_KEPT = timedelta(days=180)
"""How long an invitation that was accepted or revoked, or has expired, stays listed."""
CONFLICTS_KEPT = timedelta(days=90)


def forget_invitations() -> int:
    """Delete some invitations that ended long ago, and return how many. The audit keeps that they were made."""
    before = database_now() - INVITATIONS_KEPT
    over = Q(accepted_at__lt=before) | Q(revoked_at__lt=before) | Q(expires_at__lt=before)
    old = list(Invitation.objects.filter(over).order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    Invitation.objects.filter(pk__in=old).delete()
    return len(old)


def forget_conflicts() -> int:
    """Delete some old drafts that were kept aside, and return how many."""
    over = DraftConflict.objects.filter(saved_at__lt=database_now() - CONFLICTS_KEPT)
    old = list(over.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    DraftConflict.objects.filter(pk__in=old).delete()
    return len(old)


def look_after_leftovers() -> None:
    """Both of them."""
    forget_invitations()
    forget_conflicts()


SWEEP = Sweep("leftovers", look_after_leftovers, EVERY)
