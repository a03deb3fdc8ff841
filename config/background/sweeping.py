"""Notify workers of forgotten rows and of rows whose worker was lost."""

import logging
from datetime import timedelta

from django.db import OperationalError
from django.db.models import Q
from django.utils import timezone

from config.background.claiming import abandon, claimable
from config.background.kinds import QUEUES, Work, works
from config.background.waking import wake

logger = logging.getLogger(__name__)
REWAKE = timedelta(seconds=5)
"""How long a row may wait before workers are notified again; a killed worker may have taken its message."""
AT_ONCE = 100
"""How many rows of a kind workers are notified of at a time; more would not speed up a long queue."""


def sweep(queues: tuple[str, ...] = QUEUES) -> tuple[int, bool]:
    """Notify workers of rows that are due, and fail rows that have no attempts left.

    Return the number of notifications and whether the broker could be reached. Several workers may sweep at once;
    each row is handled by the one whose update finds it.
    """
    woken = 0
    for work in works().values():
        if work.queue not in queues:
            continue
        now = timezone.now()
        rows = work.model._default_manager.filter(claimable(now))
        spent = rows.filter(Q(attempt__gte=work.attempts) | Q(stop_asked=True))
        for pk in spent.order_by("due_at", "pk").values_list("pk", flat=True)[:AT_ONCE]:
            _abandon(work, pk)
        notified = rows.filter(woken_at__gte=now - REWAKE).count()
        lost = rows.filter(Q(woken_at=None) | Q(woken_at__lt=now - REWAKE), attempt__lt=work.attempts)
        for pk in lost.order_by("due_at", "pk").values_list("pk", flat=True)[: max(AT_ONCE - notified, 0)]:
            if not lost.filter(pk=pk).update(woken_at=timezone.now()):
                continue
            if not wake(work, pk):
                work.model._default_manager.filter(pk=pk).update(woken_at=None)
                return woken, False
            woken += 1
    return woken, True


def _abandon(work: Work, pk: int) -> None:
    """Fail a row. If its kind of work raises an error, continue with the other rows."""
    try:
        abandon(work, pk)
    except OperationalError:  # the database is away, so the sweep ends
        raise
    except Exception:  # `ended` is an app's code; one row must not keep all others waiting
        logger.exception("%s %s could not be failed", work.key, pk)
