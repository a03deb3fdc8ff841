"""The id of the request that this thread works for, or for which background work was queued; log lines carry it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LENGTH = 12
CURRENT = ContextVar("request_id", default="")


def current_request_id() -> str:
    """Return the id of the current request; empty for commands and for a worker's own upkeep."""
    return CURRENT.get()


@contextmanager
def working_for(request_id: str) -> Iterator[None]:
    """Make this the id of the current request within the block."""
    token = CURRENT.set(request_id)
    try:
        yield
    finally:
        CURRENT.reset(token)


def request_id_of(record: logging.LogRecord) -> str:
    """Return the id that a log record belongs to. Django logs some lines when the request itself is over."""
    return current_request_id() or getattr(getattr(record, "request", None), "request_id", "")
