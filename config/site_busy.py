"""The error for what the site cannot do now but can do soon; `config.middleware` answers it with status 503."""

from django.db import OperationalError

BUSY = ("database is locked", "database table is locked")


class SiteBusyError(Exception):
    """The request was not completed. Clients may try again after `retry_after` seconds.

    What an earlier transaction of the request committed stays. The page shows the message, if there is one.
    """

    retry_after = 5


def database_is_busy(problem: BaseException | None) -> bool:
    """Whether the database could not do something now but soon may: SQLite's write lock was not free for too long."""
    return isinstance(problem, OperationalError) and any(word in str(problem) for word in BUSY)
