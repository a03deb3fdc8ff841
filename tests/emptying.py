"""Empty the test's database after a test that commits.

Django empties all 180 tables and makes content types and permissions again, which takes over a second on PostgreSQL.
Few tables have rows, and those two are the same before and after every test.
"""

from functools import cache

from django.db import connections, transaction

from config.triggers import frozen_tables

KEPT = {"django_migrations", "django_content_type", "auth_permission"}


@cache
def _tables(alias):
    names = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
    return tuple(sorted(set(names) - KEPT))


@cache
def _frozen(alias):
    return dict(frozen_tables(connections[alias]))


def filled_tables(connection):
    """The tables with a row, by one statement."""
    parts = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in _tables(connection.alias))
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts))
        return [name for (name,) in cursor.fetchall()]


def empty(connection):
    """Delete every row; the triggers that refuse this are switched off for these statements."""
    filled = filled_tables(connection)
    frozen = [one for table, one in _frozen(connection.alias).items() if table in filled]
    deleted = [f'DELETE FROM "{name}"' for name in filled]
    if connection.vendor == "postgresql":
        switch = [f'ALTER TABLE "{one.table}" {{}} TRIGGER USER' for one in frozen]
        statements = [
            *(one.format("DISABLE") for one in switch), *deleted, "SET CONSTRAINTS ALL IMMEDIATE",
            *(one.format("ENABLE") for one in switch),
        ]  # fmt: skip
    else:
        dropped = [statement for one in frozen for statement in one.drop(connection.vendor)]
        made = [statement for one in frozen for statement in one.statements(connection.vendor)]
        statements = [*dropped, *deleted, *made]
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
