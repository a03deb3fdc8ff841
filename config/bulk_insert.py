"""Writing many rows at once: `executemany` on SQLite, COPY on PostgreSQL.

Django's `bulk_create` builds a model instance per row, which costs more than the database does. Values are passed
as the database stores them: JSON as text, times as `stored_time` returns them.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.models import Model, QuerySet


def next_ids(model: type[Model], count: int) -> list[int]:
    """Reserve `count` primary keys of `model`, in ascending order.

    They need not be consecutive: on PostgreSQL others reserve and insert at the same time, and nobody waits.
    """
    table, column = model._meta.db_table, model._meta.pk.column
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # The transaction holds the one write lock from its BEGIN, so that nobody else reserves meanwhile.
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
            row = cursor.fetchone()
            last = row[0] if row else 0
            if row is None:  # nothing was ever inserted into this table
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, 0)", [table])
            cursor.execute("UPDATE sqlite_sequence SET seq = %s WHERE name = %s", [last + count, table])
            return list(range(last + 1, last + count + 1))
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', column])
        sequence = cursor.fetchone()[0]
        # Plain inserts take their keys by nextval too: setval, which moves the sequence, would ignore them.
        cursor.execute("SELECT nextval(%s) FROM generate_series(1, %s)", [sequence, count])
        return [key for (key,) in cursor.fetchall()]


def stored_time(moment: datetime | None) -> Any:
    """Return an aware time in the form that `insert_rows` expects."""
    return None if moment is None else connection.ops.adapt_datetimefield_value(moment)


def packed_time(moment: datetime | None) -> str | None:
    """Return an aware time as text in UTC, as SQLite stores it and PostgreSQL reads it."""
    return None if moment is None else str(moment.astimezone(UTC).replace(tzinfo=None))


def insert_rows(
    model: type[Model], columns: Sequence[str], rows: Iterable[Sequence[Any]], using: str = DEFAULT_DB_ALIAS
) -> None:
    """Insert `rows`. Each row has one value per name in `columns` (database column names)."""
    table, connection = model._meta.db_table, connections[using]
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            marks = ", ".join(["%s"] * len(columns))
            cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)  # type: ignore[arg-type] # noqa: S608
            return
        with connection.wrap_database_errors, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)


class Tables:
    """Where rows go: the database's own tables. An import uses a subclass, which keeps rows until all are checked."""

    def next_ids(self, model: type[Model], count: int) -> list[int]:
        return next_ids(model, count)

    def insert(self, model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        insert_rows(model, columns, rows)

    def sources(self, rows: QuerySet[Any]) -> list[QuerySet[Any]]:
        """Return the query for each database that has such rows. It must not join tables."""
        return [rows]

    def read(self, rows: QuerySet[Any], *columns: str) -> Iterator[tuple[Any, ...]]:
        """Return the columns of the rows, source by source."""
        for source in self.sources(rows):
            yield from source.values_list(*columns)

    def count(self, rows: QuerySet[Any]) -> int:
        return sum(source.count() for source in self.sources(rows))


def refresh_statistics(*models: type[Model]) -> None:
    """Update PostgreSQL's statistics after a large insert, so that it plans the next queries well."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in models:
                cursor.execute(f'ANALYZE "{model._meta.db_table}"')
