"""Keeps the rows that an import will add in temporary files until all of its files have been checked.

The files are checked without any transaction, so that nobody waits for them. Rows that later lines of the same import
look up are copied to a temporary SQLite database, which answers the same queries as the real one (`Staging.read`).
"""

import struct
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any

from django.db import connection, connections
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.models import Model, QuerySet, UniqueConstraint

from annotation.models import Item, Output, Rating, Task, TaskOutput
from config.bulk_insert import Tables, next_ids
from files.reading.row_packing import Change, Insertion, unpack

COPY = "import_staging"
"""The alias of the temporary database; each thread has its own."""
TEMPORARY = {
    "ENGINE": "django.db.backends.sqlite3", "NAME": "file:", "USER": "", "PASSWORD": "", "HOST": "", "PORT": "",
    "AUTOCOMMIT": True, "ATOMIC_REQUESTS": False, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": False, "TIME_ZONE": None,
    "OPTIONS": {"init_command": "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-64000;"},
    "TEST": {},
}  # fmt: skip
"""SQLite removes the file of a database without a name, even if the process is killed."""
OF_ITEMS = frozenset({Item, Output, Task, TaskOutput})
CANNOT_COLLIDE = frozenset({Item, Output, TaskOutput, Rating})
"""Only imports add items and outputs; the unique constraints of the others lie within a task or an annotation, or are
compared by `Staging.machine_keys`."""
LOOKED_UP_BY: Mapping[type[Model], str] = {Rating: "item_id"}
"""Columns by which rows are looked up and that no unique constraint begins with."""
MOST_RESERVED = 50_000
LOOKUP = 500
SIZE = struct.Struct("<I")


class StudyChangedError(Exception):
    """Somebody worked on tasks of the import while its files were being checked."""


class Staging(Tables):
    """The rows that one import will write, in order. Use it as a context manager.

    If `keep_readable`, all rows are copied for look-ups, because files read later may refer to them. Otherwise only
    those are copied that their own file may refer to, or that raters may add at the same time.
    """

    def __init__(self) -> None:
        self.keep_readable = True
        self.rows = self.size = 0
        self.added: Counter[type[Model]] = Counter()
        """How many rows each table gets."""
        self.raters: set[int] = set()
        """The raters that rows refer to."""
        self.machine_keys: set[str] = set()
        """What identifies the ratings of machines, which runs may add at the same time."""
        self.replaces_items = False
        """Whether the rows take the place of all items of their study, whose old ones are not looked up any more."""
        self.adds_turn_tasks = False
        """Whether the rows include tasks that raters' own work may also add."""
        self._file = TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self._reserved: dict[type[Model], list[int]] = {}
        self._taken: dict[type[Model], int] = {}
        self._copied: set[type[Model]] = set()
        self._since = _last_keys()

    def __enter__(self) -> "Staging":
        connections[COPY] = DatabaseWrapper(TEMPORARY, COPY)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        connections[COPY].close()
        del connections[COPY]
        self._file.close()

    def next_ids(self, model: type[Model], count: int) -> list[int]:
        """Return new primary keys, reserved in growing blocks, since on SQLite each reservation is a commit."""
        reserved = self._reserved.setdefault(model, [])
        if len(reserved) < count:
            before = self._taken.get(model, 0)
            reserved += next_ids(model, max(count - len(reserved), min(before, MOST_RESERVED)))
        self._taken[model] = self._taken.get(model, 0) + count
        taken, self._reserved[model] = reserved[:count], reserved[count:]
        return taken

    def insert(self, model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        if not rows:
            return
        self.rows += len(rows)
        self.added[model] += len(rows)
        if "rater_id" in columns:
            place = columns.index("rater_id")
            self.raters.update(row[place] for row in rows)
        if model is Rating and "machine_key" in columns:
            place = columns.index("machine_key")
            self.machine_keys.update(row[place] for row in rows if row[place] is not None)
        if model is Task:
            place = columns.index("variant")
            self.adds_turn_tasks = self.adds_turn_tasks or any(row[place] for row in rows)
        insertion = Insertion(model, columns, rows)
        self._write(insertion)
        if self.keep_readable or model not in CANNOT_COLLIDE:
            self._make_copy_of(model)
            insertion.write(COPY)

    def add(self, objects: Sequence[Model]) -> None:
        """Insert new objects of one model, and set the primary keys of those that have none from `next_ids`.

        Only for few rows: it is slower than `insert`.
        """
        if not objects:
            return
        model, adapted = type(objects[0]), connections[COPY]
        fields = model._meta.local_concrete_fields
        without = [one for one in objects if one.pk is None]
        for pk, one in zip(self.next_ids(model, len(without)), without, strict=True):
            one.pk = pk
        rows = [
            [_plain(field.get_db_prep_save(field.pre_save(one, True), adapted)) for field in fields] for one in objects
        ]
        self.insert(model, [str(field.column) for field in fields], rows)

    def change(self, model: type[Model], field: str, keys: Collection[int], **values: Any) -> None:
        """Set new values on rows of the database or of this import whose `field` is one of `keys`."""
        ordered = sorted(keys)
        for start in range(0, len(ordered), LOOKUP):
            change = Change(model, field, ordered[start : start + LOOKUP], values)
            self.rows += len(change.keys)
            self._write(change)
            if model in self._copied:
                change.write(COPY)

    def sources(self, rows: QuerySet[Any]) -> list[QuerySet[Any]]:
        own = [rows.using(COPY)] if rows.model in self._copied else []
        return own if self.replaces_items and rows.model in OF_ITEMS else [rows, *own]

    def packed(self) -> Iterator[bytes]:
        """Yield all rows in order, packed."""
        self._file.seek(0)
        while size := self._file.read(SIZE.size):
            yield self._file.read(SIZE.unpack(size)[0])

    def write(self) -> None:
        """Write everything into the tables now. Call this in a transaction."""
        for packed in self.packed():
            unpack(packed).write()

    def refuse_changes(self) -> None:
        """Raise StudyChangedError if a row was added since the beginning that collides with a row of this import.

        The next call only looks at rows added after this one.
        """
        since, self._since = self._since, _last_keys()
        if self.machine_keys:
            added = Rating.objects.filter(pk__gt=since.get(Rating._meta.db_table, 0), machine_key__isnull=False)
            if any(key in self.machine_keys for key in added.values_list("machine_key", flat=True).iterator()):
                raise StudyChangedError
        for model in self._copied - CANNOT_COLLIDE:
            for constraint in model._meta.constraints:
                if isinstance(constraint, UniqueConstraint) and self._collides(model, constraint.fields, since):
                    raise StudyChangedError

    def _collides(self, model: type[Model], fields: Sequence[str], since: Mapping[str, int]) -> bool:
        added = model._default_manager.filter(pk__gt=since.get(model._meta.db_table, 0)).values_list(*fields)
        recent, mine = set(added.iterator()), model._default_manager.using(COPY)
        firsts = sorted({row[0] for row in recent})
        return any(
            row in recent
            for start in range(0, len(firsts), LOOKUP)
            for row in mine.filter(**{f"{fields[0]}__in": firsts[start : start + LOOKUP]}).values_list(*fields)
        )

    def _write(self, change: Insertion | Change) -> None:
        for packed in change.pack():
            self.size += len(packed)
            self._file.write(SIZE.pack(len(packed)))
            self._file.write(packed)

    def _make_copy_of(self, model: type[Model]) -> None:
        if model in self._copied:
            return
        self._copied.add(model)
        table, fields = model._meta.db_table, model._meta.local_concrete_fields
        kinds = {field.column: field.db_type(connections[COPY]) for field in fields}
        columns = ", ".join(f'"{column}" {kind}' for column, kind in kinds.items() if column != "id")
        with connections[COPY].cursor() as cursor:
            cursor.execute(f'CREATE TABLE "{table}" ("id" integer PRIMARY KEY, {columns})')
            for number, names in enumerate(_indexed(model)):
                listed = ", ".join(f'"{name}"' for name in names)
                cursor.execute(f'CREATE INDEX "{table}_{number}" ON "{table}" ({listed})')


def _plain(value: Any) -> Any:
    """Return the value of an enumeration's member; other values are returned unchanged."""
    return value.value if isinstance(value, Enum) else value


def _indexed(model: type[Model]) -> Iterator[list[str]]:
    """Return the columns of each index that look-ups need."""
    columns = {field.name: str(field.column) for field in model._meta.local_concrete_fields}
    for constraint in model._meta.constraints:
        if isinstance(constraint, UniqueConstraint):
            yield [columns[name] for name in constraint.fields]
    if model in LOOKED_UP_BY:
        yield [LOOKED_UP_BY[model]]


def _last_keys() -> dict[str, int]:
    """Return the last used primary key of each table."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence")
        else:
            cursor.execute(
                "SELECT replace(sequencename, '_id_seq', ''), last_value FROM pg_sequences "
                "WHERE schemaname = current_schema() AND last_value IS NOT NULL"
            )
        return dict(cursor.fetchall())
