"""Notify workers of rows. A message has the row's kind and primary key, and may be lost or delivered twice."""

import logging
from collections.abc import Sequence
from functools import partial

from django.db import transaction
from kombu.exceptions import OperationalError

from config.background.claiming import requeue
from config.background.kinds import Work
from config.background.messages import FIRST, LAST, do_row
from config.background.rows import Row
from config.database_clock import database_now

logger = logging.getLogger(__name__)


def enqueue(work: Work, *rows: Row) -> None:
    """Notify workers of these queued rows when the transaction commits. Call it inside the transaction.

    If the broker cannot be reached, the rows stay queued, and the sweep notifies workers later.
    """
    keys = [row.pk for row in rows]
    work.model._default_manager.filter(pk__in=keys).update(woken_at=database_now())
    transaction.on_commit(partial(wake_all, work, keys))


def enqueue_again(work: Work, row: Row) -> bool:
    """Queue a failed or stopped row again and notify workers; return False if it was neither."""
    with transaction.atomic():
        if not requeue(work, row):
            return False
        enqueue(work, row)
    return True


def wake_all(work: Work, keys: Sequence[int]) -> int:
    """Notify workers of rows marked as such, and return of how many; unmark the others if the broker is away."""
    for number, pk in enumerate(keys):
        if not wake(work, pk):  # the same broker would fail for the others
            work.model._default_manager.filter(pk__in=keys[number:]).update(woken_at=None)
            return number
    return len(keys)


def wake(work: Work, pk: int) -> bool:
    """Notify workers of the row; return False if the broker cannot be reached within a few seconds."""
    try:
        do_row.apply_async((work.key, pk), queue=work.queue, priority=LAST if work.patient else FIRST)
    except (OperationalError, OSError) as problem:
        logger.warning("%s %s stays queued: the message broker cannot be reached (%s)", work.key, pk, problem)
        return False
    return True
