"""Telling workers that there is work. A message holds the row's kind and number and may be lost or come twice."""

import logging
from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.background.claiming import requeue
from config.background.rows import Row
from config.background.tasks import do_row
from config.background.work import Work

logger = logging.getLogger(__name__)


def enqueue(work: Work, *rows: Row) -> None:
    """Have these queued rows done once the transaction that made them is kept. Call it inside that transaction.

    Where the broker cannot be reached the rows stay queued, and are sent by the sweeper once it can.
    """
    keys = [row.pk for row in rows]
    work.model._default_manager.filter(pk__in=keys).update(woken_at=timezone.now())
    transaction.on_commit(partial(_wake_all, work, keys))


def enqueue_again(work: Work, row: Row) -> bool:
    """Queue a failed or stopped row anew and wake a worker; False where it was neither."""
    with transaction.atomic():
        if not requeue(work, row):
            return False
        enqueue(work, row)
    return True


def _wake_all(work: Work, keys: Sequence[int]) -> None:
    for number, pk in enumerate(keys):
        if not wake(work, pk):  # the others would wait for the same broker
            work.model._default_manager.filter(pk__in=keys[number:]).update(woken_at=None)
            return


def wake(work: Work, pk: int) -> bool:
    """Tell the workers of the row; False where the broker could not be reached within its few seconds."""
    try:
        do_row.apply_async((work.key, pk), queue=work.queue)
    except (OperationalError, OSError) as problem:
        logger.warning("%s %s stays queued: the message broker cannot be reached (%s)", work.key, pk, problem)
        return False
    return True
