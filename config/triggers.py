"""Tables whose rows the database keeps as they are: evidence, the audit, the ledger of calls.

`Freeze` is a migration operation. It makes triggers that refuse UPDATE of a table's frozen columns, DELETE and, on
PostgreSQL, TRUNCATE (SQLite has no TRUNCATE). The migrations are the only list of what is frozen. Only an open erasure
(`config.erasure`) may change or delete a frozen row.

SQLite drops the triggers of a table when Django remakes it, which it does to alter a field. A migration that alters a
frozen table therefore repeats the table's `Freeze` as its last operation. `lost_triggers` finds a table that has lost
its triggers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

NO_ERASURE = 'NOT EXISTS (SELECT 1 FROM "config_erasure" WHERE "open_id" IS NOT NULL)'
ALWAYS = "TRUE"

STORED = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT t.tgname, concat_ws(' ', c.relname, t.tgenabled, t.tgtype, p.prosrc) "
        "FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
        "WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
    ),
}
# pg_trigger.tgtype: 1 means for each row, 2 before, 4 insert, 8 delete, 16 update, 32 truncate.
TYPES = {"UPDATE": 1 + 2 + 16, "DELETE": 1 + 2 + 8, "TRUNCATE": 2 + 32}
RETURNED = {"UPDATE": "NEW", "DELETE": "OLD", "TRUNCATE": "NULL"}


@dataclass(frozen=True)
class Trigger:
    """A trigger that refuses `event` ("UPDATE OF ..." included) on `table` if the SQL `condition` is true.

    The condition says DIFFERS FROM for the comparison that treats two NULLs as equal, which each database calls
    something else.
    """

    name: str
    table: str
    event: str
    condition: str
    message: str

    @property
    def kind(self) -> str:
        return self.event.split()[0]

    def create(self, vendor: str) -> Iterator[str]:
        if vendor == "sqlite":
            yield self.on_sqlite
            return
        yield f'CREATE FUNCTION "{self.name}"() RETURNS trigger LANGUAGE plpgsql AS $${self.body}$$'
        yield (
            f'CREATE TRIGGER "{self.name}" BEFORE {self.event} ON "{self.table}" '
            f'FOR EACH {"STATEMENT" if self.kind == "TRUNCATE" else "ROW"} EXECUTE FUNCTION "{self.name}"()'
        )

    def drop(self, vendor: str) -> Iterator[str]:
        if vendor == "sqlite":
            yield f'DROP TRIGGER IF EXISTS "{self.name}"'
            return
        yield f'DROP TRIGGER IF EXISTS "{self.name}" ON "{self.table}"'
        yield f'DROP FUNCTION IF EXISTS "{self.name}"()'

    def stored(self, vendor: str) -> str:
        """What the query in STORED returns for it."""
        return self.on_sqlite if vendor == "sqlite" else f"{self.table} O {TYPES[self.kind]} {self.body}"

    @property
    def on_sqlite(self) -> str:
        condition = self.condition.replace("DIFFERS FROM", "IS NOT")
        return (
            f'CREATE TRIGGER "{self.name}" BEFORE {self.event} ON "{self.table}" '
            f"WHEN {condition} BEGIN SELECT RAISE(ABORT, '{self.message}'); END"
        )

    @property
    def body(self) -> str:
        """The body of its function on PostgreSQL, where WHEN may not look into another table."""
        return (
            f"BEGIN IF {self.condition.replace('DIFFERS FROM', 'IS DISTINCT FROM')} THEN "
            f"RAISE EXCEPTION '{self.message}' USING ERRCODE = 'integrity_constraint_violation'; "
            f"END IF; RETURN {RETURNED[self.kind]}; END"
        )


class TriggerOperation(Operation):
    """A migration operation that makes triggers: a subclass gives the statements that make and drop them."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Models do not know of triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for statement in self.statements(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for statement in self.drop(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def statements(self, vendor: str) -> Iterator[str]:
        """Yield the SQL that makes the triggers, in place of earlier ones."""
        raise NotImplementedError

    def drop(self, vendor: str) -> Iterator[str]:
        """Yield the SQL that drops them."""
        raise NotImplementedError

    def stored(self, vendor: str) -> Mapping[str, str]:
        """Return the triggers by name, as the query in STORED returns them."""
        raise NotImplementedError


class Freeze(TriggerOperation):
    """Migration operation: the database keeps the rows of `table` as they are.

    `columns` never change. `once` change once, from NULL to a value. `final` is a condition on OLD: rows for which it
    is true do not change at all. With `erasable=False` not even an open erasure changes or deletes a row.
    """

    def __init__(
        self, table: str, columns: Sequence[str], *, once: Sequence[str] = (), final: str = "", erasable: bool = True
    ) -> None:
        self.table, self.columns, self.once, self.final, self.erasable = table, columns, once, final, erasable

    def describe(self) -> str:
        return f"Freeze {self.table}"

    @property
    def changed(self) -> str:
        """The SQL condition under which an update changes what is frozen."""
        parts = [f'OLD."{column}" DIFFERS FROM NEW."{column}"' for column in self.columns]
        parts += [
            f'(OLD."{column}" IS NOT NULL AND OLD."{column}" DIFFERS FROM NEW."{column}")' for column in self.once
        ]
        parts += [f"({self.final})"] if self.final else []
        return f"({' OR '.join(parts)})"

    def triggers(self, vendor: str) -> list[Trigger]:
        allowed = NO_ERASURE if self.erasable else ALWAYS
        named = ", ".join(f'"{column}"' for column in (*self.columns, *self.once))
        update = "UPDATE" if self.final else f"UPDATE OF {named}"
        changed = f"{self.changed} AND {allowed}" if self.erasable else self.changed
        kept = f"{self.table} is kept: only an erasure deletes its rows"
        found = [
            Trigger(f"{self.table}_frozen", self.table, update, changed, f"{self.table} is frozen: rows are added"),
            Trigger(f"{self.table}_kept", self.table, "DELETE", allowed, kept),
        ]
        if vendor == "postgresql":
            found.append(Trigger(f"{self.table}_not_emptied", self.table, "TRUNCATE", ALWAYS, kept))
        elif vendor != "sqlite":
            raise NotImplementedError(f"Interrater runs on SQLite and PostgreSQL, not on {vendor}.")
        return found

    def statements(self, vendor: str) -> Iterator[str]:
        """The SQL that makes the triggers, in place of earlier ones."""
        yield from self.drop(vendor)
        for trigger in self.triggers(vendor):
            yield from trigger.create(vendor)

    def drop(self, vendor: str) -> Iterator[str]:
        for trigger in self.triggers(vendor):
            yield from trigger.drop(vendor)

    def stored(self, vendor: str) -> Mapping[str, str]:
        return {trigger.name: trigger.stored(vendor) for trigger in self.triggers(vendor)}


class Thaw(Freeze):
    """Migration operation: remove the triggers of `table`, for good or until a `Freeze` later in the same migration."""

    def __init__(self, table: str) -> None:
        super().__init__(table, ["id"])

    def statements(self, vendor: str) -> Iterator[str]:
        return self.drop(vendor)

    def describe(self) -> str:
        return f"Thaw {self.table}"


def _applied(connection: BaseDatabaseWrapper) -> Iterator[TriggerOperation]:
    """Yield the operations of applied migrations that make triggers, in the order of the migrations."""
    loader = MigrationLoader(connection)
    done: set[tuple[str, str]] = set()
    for leaf in loader.graph.leaf_nodes():
        for node in loader.graph.forwards_plan(leaf):
            if node in done or node not in loader.applied_migrations:
                continue
            done.add(node)
            for operation in loader.graph.nodes[node].operations:
                if isinstance(operation, TriggerOperation):
                    yield operation


def frozen_tables(connection: BaseDatabaseWrapper) -> Mapping[str, Freeze]:
    """Return what the applied migrations freeze: each table with its last `Freeze`."""
    found = {operation.table: operation for operation in _applied(connection) if isinstance(operation, Freeze)}
    return {table: operation for table, operation in found.items() if not isinstance(operation, Thaw)}


def lost_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of triggers that the database should have and lacks, or has in another form."""
    with connection.cursor() as cursor:
        cursor.execute(STORED[connection.vendor])
        there = dict(cursor.fetchall())
    others = [operation for operation in _applied(connection) if not isinstance(operation, Freeze)]
    return [
        name
        for operation in (*frozen_tables(connection).values(), *others)
        for name, stored in operation.stored(connection.vendor).items()
        if there.get(name) != stored
    ]


def check_triggers(databases: Sequence[str] | None = None, **options: Any) -> list[CheckMessage]:
    """A warning for each trigger that is lost; `migrate` and `check --database default` show it."""
    return [
        Warning(
            f"The database has lost the trigger {name}.",
            hint="The last migration that altered its table must end with what makes its triggers (config.triggers).",
            id="config.W001",
        )
        for alias in databases or ()
        for name in lost_triggers(connections[alias])
    ]
