"""Writing many rows at once: `executemany` on SQLite, COPY on PostgreSQL.

Django's `bulk_create` builds a model instance a row, which costs more than the database does. Values are
given as the database holds them: JSON as text, times as `stored_time` gives them.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Model


def next_ids(model: type[Model], count: int) -> range:
    """Reserve `count` primary keys of `model`; call it inside the transaction that uses them."""
    table, column = model._meta.db_table, model._meta.pk.column
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # The transaction holds the one write lock from its BEGIN, so that nobody else reserves meanwhile.
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
            row = cursor.fetchone()
            first = (row[0] if row else 0) + 1
            return range(first, first + count)
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', column])
        sequence = cursor.fetchone()[0]
        # setval moves the sequence in one step; the lock makes the two statements one.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [sequence])
        cursor.execute("SELECT nextval(%s)", [sequence])
        first = cursor.fetchone()[0]
        cursor.execute("SELECT setval(%s, %s)", [sequence, first + max(count - 1, 0)])
        return range(first, first + count)


def stored_time(moment: datetime | None) -> Any:
    """An aware time as `insert_rows` takes it."""
    return None if moment is None else connection.ops.adapt_datetimefield_value(moment)


def insert_rows(model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert `rows`, each a value for every one of `columns` (database column names)."""
    table = model._meta.db_table
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)  # type: ignore[arg-type] # noqa: S608
            return
        with cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)


def refresh_statistics(*models: type[Model]) -> None:
    """Tell PostgreSQL's planner how large the tables have become; without it plans are bad until its own turn."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in models:
                cursor.execute(f'ANALYZE "{model._meta.db_table}"')
