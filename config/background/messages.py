"""The only message that goes through the broker."""

import logging

from django.db import close_old_connections
from kombu.exceptions import OperationalError

from config.background.kinds import works
from config.background.patient_places import patient_places
from config.background.study_turns import process_in_turn
from config.celery import app

logger = logging.getLogger(__name__)
FIRST, LAST = 0, 9
"""Priorities of messages, as Redis has them. The broker hands out those of priority 0 before all others."""


@app.task(name="interrater.do_row", ignore_result=True)
def do_row(key: str, pk: int) -> None:
    """Process a row of background work: the next of the study whose turn it is, not necessarily this one.

    A thread keeps its connection to the database from row to row, unless it is broken or too old.
    """
    work = works()[key]
    if not work.patient or work.queue != "calls":
        _process(key, pk)
        return
    places = patient_places()
    if not places.take((key, pk)):
        return
    try:
        _process(key, pk)
    finally:
        waiting = places.free()
        if waiting is not None:
            _send_again(*waiting)


def _process(key: str, pk: int) -> None:
    close_old_connections()
    process_in_turn(key, pk)


def _send_again(key: str, pk: int) -> None:
    """Send a message that was put off. If the broker is away, the sweep notifies workers later."""
    try:
        do_row.apply_async((key, pk), queue=works()[key].queue, priority=LAST)
    except (OperationalError, OSError) as problem:
        logger.warning("%s %s stays queued: the message broker cannot be reached (%s)", key, pk, problem)
