"""Waking what was lost: rows that nobody was told of, or whose worker was not heard of again."""

import logging
from datetime import timedelta

from django.db import OperationalError
from django.db.models import Q
from django.utils import timezone

from config.background.claiming import abandon, claimable
from config.background.waking import wake
from config.background.work import QUEUES, Work, works

logger = logging.getLogger(__name__)
REWAKE = timedelta(seconds=5)
"""After so long a row that still waits is told of again: its message may have gone with a killed worker."""
AT_ONCE = 100
"""How many rows of a kind are told of again before the ones before them are begun: a long queue needs no more."""


def sweep(queues: tuple[str, ...] = QUEUES) -> tuple[int, bool]:
    """Wake what is due and was not woken lately, and give up what has no attempt left.

    Returns how many were woken and whether the broker could be reached. Several sweepers do no harm: each row
    is woken by the one whose update finds it.
    """
    woken = 0
    for work in works().values():
        if work.queue not in queues:
            continue
        now = timezone.now()
        rows = work.model._default_manager.filter(claimable(now))
        over = rows.filter(Q(attempt__gte=work.attempts) | Q(stop_asked=True))
        for pk in over.order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE]:
            _abandon(work, pk)
        told = rows.filter(woken_at__gte=now - REWAKE).count()
        lost = rows.filter(Q(woken_at=None) | Q(woken_at__lt=now - REWAKE), attempt__lt=work.attempts)
        for pk in lost.order_by("due_at", "pk").values_list("pk", flat=True)[: max(AT_ONCE - told, 0)]:
            if not lost.filter(pk=pk).update(woken_at=timezone.now()):
                continue
            if not wake(work, pk):
                work.model._default_manager.filter(pk=pk).update(woken_at=None)
                return woken, False
            woken += 1
    return woken, True


def _abandon(work: Work, pk: int) -> None:
    """Give a row up; where its kind of work fails at that, the others are looked after all the same."""
    try:
        abandon(work, pk)
    except OperationalError:  # the database is away: nothing can be looked after
        raise
    except Exception:  # its `ended` is an app's own code: one row that it fails at must not keep all others waiting
        logger.exception("%s %s cannot be given up", work.key, pk)
