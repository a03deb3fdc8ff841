"""Reading one moment of the database while others write to it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything read inside is as it was at the first reading; writers are not held up, and nothing is written.

    Inside a transaction that has begun already it is that transaction's view that is read.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "sqlite":
        # `atomic` would take the one write lock, as every transaction here does; reading needs a plain BEGIN.
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
