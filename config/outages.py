"""Tells outages of the database and full disks from errors of ours, by what the database's driver reports.

People who meet an outage get a page that says so (503 or 507, `config.error_pages`), never an error 500.
"""

import errno
from collections.abc import Iterator

from django.db import InterfaceError, OperationalError

from config.site_busy import SiteBusyError, database_is_busy

UNAVAILABLE, FULL = 503, 507
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
STATES = ("08", "40001", "40P01", "53", "55P03", "57P")
"""How SQLSTATEs of PostgreSQL begin that may be over soon: connections, conflicts, resources, locks, shutdowns."""
DISK_FULL = "53100"
FULL_WORDS = ("database or disk is full",)
AWAY_WORDS = ("unable to open database file", "disk i/o error", "attempt to write a readonly database")
"""What SQLite says if its file or folder cannot be used."""


def outage_status(problem: BaseException | None) -> int | None:
    """Return the status of an outage: 503 if trying again soon makes sense, 507 if a disk is full; otherwise None."""
    statuses = [status for status in map(_status, _chain(problem)) if status]
    return max(statuses, default=None)


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what caused it."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)


def _status(problem: BaseException) -> int | None:
    if isinstance(problem, SiteBusyError):
        return UNAVAILABLE
    if isinstance(problem, OSError):
        return FULL if problem.errno in FULL_DISK else None
    if isinstance(problem, InterfaceError):  # the connection was closed under a request
        return UNAVAILABLE
    if isinstance(problem, OperationalError):
        return _of_database(problem)
    return None


def _of_database(problem: OperationalError) -> int | None:
    words, driver = str(problem).lower(), problem.__cause__
    if any(sign in words for sign in FULL_WORDS):
        return FULL
    if database_is_busy(problem) or any(sign in words for sign in AWAY_WORDS):
        return UNAVAILABLE
    if not hasattr(driver, "sqlstate"):
        return None
    state: str | None = getattr(driver, "sqlstate", None)
    if state is None:  # there was no connection that could have reported one
        return UNAVAILABLE
    if state == DISK_FULL:
        return FULL
    return UNAVAILABLE if state.startswith(STATES) else None
