"""Lets a running call survive a short outage of the database: its reply has to be paid in any case."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, close_old_connections

logger = logging.getLogger(__name__)
LONGEST_WAIT = 25.0
"""Seconds that a reply waits to be written: less than the time by which a call's lease exceeds its deadline."""
RETRY_EVERY = 1.0


@contextmanager
def skip_during_outage() -> Iterator[None]:
    """Skip the block if the database is unavailable: it checks or shows something that can wait a little."""
    try:
        yield
    except (OperationalError, InterfaceError) as problem:
        _log_and_reconnect(problem)


def write_after_outage(write: Callable[[], bool]) -> bool:
    """Call `write` until the database is available and return its result; raise its error if that takes too long."""
    until = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as problem:
            _log_and_reconnect(problem)
            if time.monotonic() + RETRY_EVERY > until:
                raise
            time.sleep(RETRY_EVERY)


def _log_and_reconnect(problem: Exception) -> None:
    logger.warning("A call continues without the database (%s)", " ".join(str(problem).split()))
    close_old_connections()  # the broken ones; the next query opens a new one
