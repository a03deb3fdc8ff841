"""Rules about the database itself: its schema, triggers, indexes, numbering and foreign keys."""

import re
from collections.abc import Iterator

from django.apps import apps
from django.db import connection
from django.db.models import Model

from config.models import Erasure
from config.schema_state import names_in_database, names_on_disk, unknown
from config.triggers import lost_triggers
from operating.data_check import DataCheck, Row, sql_rows
from operating.stored_tables import StoredTable

OPEN_ERASURE = Erasure._meta.get_field("open")
"""The only foreign key that may point at no row, and only inside a transaction."""

NAMED_CONSTRAINT = re.compile(r'CONSTRAINT "([^"]+)"')
"""A constraint's name in the text that made a table of SQLite."""


def _models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def orphans() -> Iterator[Row]:
    for model in _models():
        table, key = model._meta.db_table, model._meta.pk
        assert key is not None
        for field in model._meta.concrete_fields:
            if field.remote_field is None or field == OPEN_ERASURE:
                continue
            [(own, other)] = field.related_fields  # type: ignore[attr-defined] # only foreign keys have it
            sql = (
                f'SELECT c."{key.column}" AS id, c."{own.column}" AS missing FROM "{table}" c '  # noqa: S608
                f'LEFT JOIN "{other.model._meta.db_table}" p ON p."{other.column}" = c."{own.column}" '
                f'WHERE c."{own.column}" IS NOT NULL AND p."{other.column}" IS NULL'
            )
            for row in sql_rows(sql):
                yield {"table": table, "column": own.column, **row}


def triggers() -> Iterator[Row]:
    for name in lost_triggers(connection):
        yield {"trigger": name}


def indexes() -> Iterator[Row]:
    """Indexes and constraints by name, as the models declare them."""
    there = _names_on_sqlite() if connection.vendor == "sqlite" else _names_on_postgresql()
    for model in _models():
        table = model._meta.db_table
        for one in (*model._meta.indexes, *model._meta.constraints):
            if (table, one.name) not in there:
                yield {"table": table, "name": one.name}


def _names_on_sqlite() -> set[tuple[str, str]]:
    """Each table with the name of an index or constraint; constraints stand only in the text that made the table.

    Django's introspection parses that text word by word, which took most of the time of all checks together.
    """
    names = set()
    for row in sql_rows("SELECT type, tbl_name, name, sql FROM sqlite_master WHERE sql IS NOT NULL"):
        if row["type"] == "index":
            names.add((row["tbl_name"], row["name"]))
        elif row["type"] == "table":
            names.update((row["tbl_name"], name) for name in NAMED_CONSTRAINT.findall(row["sql"]))
    return names


def _names_on_postgresql() -> set[tuple[str, str]]:
    """The same from the catalogues."""
    found = sql_rows(
        "SELECT t.relname AS of_table, c.conname AS name FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid"
        " WHERE c.connamespace = current_schema()::regnamespace"
        " UNION SELECT tablename, indexname FROM pg_indexes WHERE schemaname = current_schema()"
    )
    return {(row["of_table"], row["name"]) for row in found}


def migrations() -> Iterator[Row]:
    applied = names_in_database()
    for state, names in (("missing", names_on_disk() - applied), ("unknown", unknown(applied))):
        for app, name in sorted(names):
            yield {"migration": f"{app}.{name}", "is": state}


def open_erasures() -> Iterator[Row]:
    yield from Erasure.objects.exclude(open=None).order_by("pk").values("id", "scope").iterator()


def numbers() -> Iterator[Row]:
    for model in _models():
        table = StoredTable(model)
        if not table.is_numbered or model._meta.pk is None:
            continue
        [row] = sql_rows(f'SELECT MAX("{model._meta.pk.column}") AS highest FROM "{table.name}"')  # noqa: S608
        last = table.last_number()
        if (row["highest"] or 0) > last:
            yield {"table": table.name, "highest": row["highest"], "next": last + 1}


CHECKS = (
    DataCheck("orphan_rows", "A row refers to a row that does not exist.", orphans),
    DataCheck("lost_triggers", "A trigger that protects evidence is missing or has been changed.", triggers),
    DataCheck("lost_indexes", "An index or a constraint of the schema is missing.", indexes),
    DataCheck("wrong_schema", "A migration is missing, or is unknown to this version.", migrations),
    DataCheck("used_numbers", "The next row of a table would get a number that a row has already.", numbers),
    DataCheck("open_erasures", "An erasure is still open, so triggers let evidence be deleted.", open_erasures),
)
