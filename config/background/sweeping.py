"""Notify workers of forgotten rows and of rows whose worker was lost."""

import logging
from datetime import datetime, timedelta

from django.db import OperationalError, transaction
from django.db.models import Q

from config.background.claiming import abandon, claimable, due_keys
from config.background.kinds import QUEUES, Work, works
from config.background.waking import wake_all
from config.database_clock import database_now

logger = logging.getLogger(__name__)
REWAKE = timedelta(seconds=5)
"""How long a row may wait before workers are notified again; a killed worker may have taken its message."""
AT_ONCE = 200
"""Workers are notified of no more rows of a kind than its first ones; more would not speed up a long queue."""


def sweep(queues: tuple[str, ...] = QUEUES) -> tuple[int, bool]:
    """Notify workers of rows that are due, and fail rows that have no attempts left.

    Return the number of notifications and whether the broker could be reached. Several workers may sweep at once;
    each row is handled by the one whose update finds it.
    """
    woken = 0
    for work in works().values():
        if work.queue not in queues or not due_keys(work, 1):
            continue
        rows = work.model._default_manager.filter(claimable(database_now())).order_by("due_at", "pk")
        live = []
        found = rows.values_list("pk", "woken_at", "attempt", "stop_asked")[: 2 * AT_ONCE]
        for pk, woken_at, attempt, stop_asked in found:
            if stop_asked or attempt >= work.attempts:
                _abandon(work, pk)
            else:
                live.append((pk, woken_at))
        keys = _mark(work, [pk for pk, woken_at in live[:AT_ONCE] if woken_at is None or woken_at < _before()])
        told = wake_all(work, keys)
        woken += told
        if told < len(keys):
            return woken, False
    return woken, True


def _before() -> datetime:
    """The time before which a notification counts as lost."""
    return database_now() - REWAKE


def _mark(work: Work, keys: list[int]) -> list[int]:
    """Write that workers are notified of these rows now; return those that no other sweep has marked meanwhile."""
    if not keys:
        return []
    with transaction.atomic():
        unmarked = Q(woken_at=None) | Q(woken_at__lt=_before())
        rows = work.model._default_manager.select_for_update(no_key=True, skip_locked=True)
        found = rows.filter(claimable(database_now()) & unmarked, pk__in=keys).order_by("due_at", "pk")
        mine = list(found.values_list("pk", flat=True))
        work.model._default_manager.filter(pk__in=mine).update(woken_at=database_now())
    return mine


def _abandon(work: Work, pk: int) -> None:
    """Fail a row. If its kind of work raises an error, continue with the other rows."""
    try:
        abandon(work, pk)
    except OperationalError:  # the database is away, so the sweep ends
        raise
    except Exception:  # `ended` is an app's code; one row must not keep all others waiting
        logger.exception("%s %s could not be failed", work.key, pk)
