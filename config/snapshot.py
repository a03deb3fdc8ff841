"""Reading a single moment of the database while others write to it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything read inside is as of the first read. Writers are not blocked, and nothing may be written.

    Inside an existing transaction or snapshot, reads show its view.
    """
    if connection.in_atomic_block or _is_in_snapshot():
        yield
    elif connection.vendor == "sqlite":
        # `atomic` would take the one write lock, as all our transactions do; reading needs a plain BEGIN.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
    else:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


def read_without_mapping() -> None:
    """Have SQLite read its file instead of mapping it into memory: for a process that reads most of it once.

    Mapped pages count as the process's memory, and save no time that way.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA mmap_size = 0")


def _is_in_snapshot() -> bool:
    """Whether a plain BEGIN of ours is open, which Django does not know of."""
    return connection.vendor == "sqlite" and connection.connection is not None and connection.connection.in_transaction
