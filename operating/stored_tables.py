"""All tables of the database as lines that do not depend on the kind of database.

A line is a JSON array of one row's values in the order of the table's columns: times as text in UTC, UUIDs as 32
hexadecimal digits, bytes as Base64, JSON as the text that is stored. SQLite and PostgreSQL give the same lines in the
same order, so a digest of them compares two databases.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import cached_property
from typing import Any

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Field, Model

from config.bulk_insert import insert_rows

PLAIN, BOOLEAN, TIME, DATE, UUID, BYTES = "plain", "boolean", "time", "date", "uuid", "bytes"
KINDS = {
    "AutoField": PLAIN, "BigAutoField": PLAIN, "BigIntegerField": PLAIN, "BinaryField": BYTES, "BooleanField": BOOLEAN,
    "CharField": PLAIN, "DateField": DATE, "DateTimeField": TIME, "FloatField": PLAIN, "IntegerField": PLAIN,
    "PositiveBigIntegerField": PLAIN, "PositiveIntegerField": PLAIN, "PositiveSmallIntegerField": PLAIN,
    "SlugField": PLAIN, "SmallIntegerField": PLAIN, "TextField": PLAIN, "UUIDField": UUID,
}  # fmt: skip
"""How the values of each type of field are written."""
ROWS_AT_ONCE = 2000
FILLED_BY_MIGRATE = ("auth_permission", "django_content_type")
"""Tables that `migrate` fills by itself, so an empty installation has rows there."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

Converter = Callable[[Any], Any]


@dataclass(frozen=True)
class StoredTable:
    """A table with its columns, as a schema of the database has them."""

    model: type[Model]

    @property
    def name(self) -> str:
        return self.model._meta.db_table

    @cached_property
    def fields(self) -> tuple["Field[Any, Any]", ...]:
        """Without the columns that the database makes from others."""
        return tuple(field for field in self.model._meta.concrete_fields if not field.generated)

    @cached_property
    def columns(self) -> dict[str, str]:
        """The kind of each column, by its name."""
        return {str(field.column): kind_of(field) for field in self.fields}

    def _conversions(self, by_kind: "Mapping[str, Converter | None]") -> list[tuple[int, Converter]]:
        """What converts a row's values, for the columns that need it."""
        wanted = [(index, by_kind[kind]) for index, kind in enumerate(self.columns.values())]
        return [(index, convert) for index, convert in wanted if convert is not None]

    def lines(self) -> Iterator[bytes]:
        """Yield each row as a line, in the order of the primary key. Reads inside the caller's snapshot."""
        conversions = self._conversions(READ[connection.vendor])
        for row in self._rows():
            values = list(row)
            for index, convert in conversions:
                if values[index] is not None:
                    values[index] = convert(values[index])
            yield _ENCODER.encode(values).encode("utf-8", "surrogatepass") + b"\n"

    def _rows(self) -> Iterator[Sequence[Any]]:
        names = ", ".join(f'"{column}"' for column in self.columns)
        sql = f'SELECT {names} FROM "{self.name}" ORDER BY {self._order}'  # noqa: S608 - names of our own tables
        with connection.chunked_cursor() as cursor:
            cursor.execute(sql)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield from rows

    @property
    def _order(self) -> str:
        """The primary key; text in the order of its bytes on both databases."""
        key = self.model._meta.pk
        assert key is not None
        is_text = _target(key).get_internal_type() in ("CharField", "SlugField", "TextField")
        return f'"{key.column}"' + (' COLLATE "C"' if is_text and connection.vendor == "postgresql" else "")

    def insert(self, lines: Iterable[bytes]) -> None:
        """Insert the rows of `lines`, with their primary keys."""
        conversions = self._conversions(WRITTEN)

        def rows() -> Iterator[list[Any]]:
            for line in lines:
                values = json.loads(line)
                for index, convert in conversions:
                    if values[index] is not None:
                        values[index] = convert(values[index])
                yield values

        insert_rows(self.model, list(self.columns), rows())

    def has_rows(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT EXISTS (SELECT 1 FROM "{self.name}")')  # noqa: S608
            return bool(cursor.fetchone()[0])

    @property
    def is_numbered(self) -> bool:
        """Whether the database numbers its rows."""
        return self.model._meta.auto_field is not None

    def last_number(self) -> int:
        """The highest number that the database has given to a row, which an erasure may have deleted since."""
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [self.name])
                row = cursor.fetchone()
                return int(row[0]) if row else 0
            cursor.execute(f"SELECT last_value, is_called FROM {self._sequence(cursor)}")  # noqa: S608
            value, is_called = cursor.fetchone()
            return int(value) if is_called else 0

    def continue_after(self, number: int) -> None:
        """Have the database number the next row after `number`."""
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [self.name])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [self.name, number])
            else:
                cursor.execute(
                    "SELECT setval(%s::regclass, %s, %s)", [self._sequence(cursor), max(number, 1), number > 0]
                )

    def _sequence(self, cursor: Any) -> str:
        assert self.model._meta.pk is not None
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{self.name}"', self.model._meta.pk.column])
        return str(cursor.fetchone()[0])


class Digest:
    """The SHA-256 of lines, and how many there were."""

    def __init__(self) -> None:
        self._sha256, self.rows = hashlib.sha256(), 0

    def counted(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Pass the lines on."""
        for line in lines:
            self._sha256.update(line)
            self.rows += 1
            yield line

    def read(self, lines: Iterable[bytes]) -> "Digest":
        """Read all lines."""
        for _ in self.counted(lines):
            pass
        return self

    @property
    def hex(self) -> str:
        return self._sha256.hexdigest()


def _target(field: Any) -> Any:
    """Return the field itself; for a foreign key, the field that it refers to, through other keys if need be."""
    while field.remote_field is not None:
        field = field.target_field
    return field


def kind_of(field: Any) -> str:
    """How the values of a field are written. Raises KeyError for a type of field that was never used here."""
    return KINDS[_target(field).get_internal_type()]


def _base64(value: bytes | memoryview) -> str:
    return base64.b64encode(bytes(value)).decode("ascii")


READ: Mapping[str, Mapping[str, Converter | None]] = {
    "sqlite": {PLAIN: None, BOOLEAN: bool, TIME: str, DATE: str, UUID: None, BYTES: _base64},
    "postgresql": {
        PLAIN: None, BOOLEAN: None, TIME: lambda value: str(value.astimezone(UTC).replace(tzinfo=None)),
        DATE: str, UUID: lambda value: value.hex, BYTES: _base64,
    },
}  # fmt: skip
"""What turns a column's values, as the driver returns them, into what is written; None leaves them as they are."""
WRITTEN: Mapping[str, Converter | None] = {
    PLAIN: None, BOOLEAN: None, TIME: None, DATE: None, UUID: None, BYTES: base64.b64decode,
}  # fmt: skip
"""The way back, to what `insert_rows` expects."""


def tables_of(loader: MigrationLoader, names: Iterable[tuple[str, str]]) -> dict[str, StoredTable]:
    """The tables, by name, of the schema that these migrations make."""
    known = [name for name in names if name in loader.graph.nodes]
    state = loader.project_state(known, at_end=True) if known else None
    registry: Apps | None = state.apps if state is not None else None
    models = registry.get_models(include_auto_created=True) if registry is not None else []
    found = [StoredTable(model) for model in models if model._meta.managed and not model._meta.proxy]
    return {table.name: table for table in sorted(found, key=lambda table: table.name)}


def applied(loader: MigrationLoader) -> list[tuple[str, str]]:
    """The migrations that the database has and this version knows."""
    return sorted(name for name in loader.applied_migrations if name in loader.graph.nodes)


def first_filled(tables: Iterable[StoredTable]) -> str | None:
    """The name of a table with rows that `migrate` has not made; None if the installation is empty."""
    return next((table.name for table in tables if table.name not in FILLED_BY_MIGRATE and table.has_rows()), None)
