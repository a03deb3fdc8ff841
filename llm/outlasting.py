"""A database that is away for some seconds ends no call under way: its reply has to be paid either way."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import InterfaceError, OperationalError, close_old_connections

logger = logging.getLogger(__name__)
LONGEST = 25.0
"""Seconds for which a reply waits to be written: less than a running call's lease is longer than the call."""
EVERY = 1.0


@contextmanager
def unasked_while_away() -> Iterator[None]:
    """Leave undone what can be asked or shown a little later where the database cannot be used."""
    try:
        yield
    except (OperationalError, InterfaceError) as problem:
        _note(problem)


def written(write: Callable[[], bool]) -> bool:
    """What `write` gives, once the database lets it; raises its error where that takes too long."""
    until = time.monotonic() + LONGEST
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError) as problem:
            _note(problem)
            if time.monotonic() + EVERY > until:
                raise
            time.sleep(EVERY)


def _note(problem: Exception) -> None:
    logger.warning("A call goes on without the database (%s)", " ".join(str(problem).split()))
    close_old_connections()  # those that broke: the next query opens one anew
