"""Hand-written statements for the few paths that are hot, with models for their rows.

Django builds and compiles each query again, which costs ten times what the database needs for it. A statement here
is text, prepared once per connection. Its columns come from the models, so values are stored and read as Django does.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import connections, models
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.utils import DEFAULT_DB_ALIAS
from django.utils.module_loading import import_string

Row = TypeVar("Row", bound=Model)
Statement = tuple[str, Sequence[Any]]
"""A statement with its parameters, which are as in `stored`."""
PREPARED = "config.prepared_cursor.PreparedCursor"
"""By name: only PostgreSQL needs its library."""
CURSOR = "prepared_cursor"
"""The attribute under which a connection has its cursor for prepared statements."""
LATER = "joined_statements"
"""The attribute under which a connection has the statements that wait for the next one."""
STORED_AS_IT_IS: dict[type, type] = {
    models.BooleanField: bool, models.CharField: str, models.FloatField: float, models.ForeignKey: int,
    models.IntegerField: int, models.PositiveIntegerField: int, models.PositiveSmallIntegerField: int,
    models.TextField: str,
}  # fmt: skip
"""For a field of exactly this class: the class of values that databases store as they are. Others Django converts."""


def here() -> Any:
    """This thread's connection itself: each look through Django's proxy of it costs as much as a short statement."""
    return connections[DEFAULT_DB_ALIAS]


def _cursor_of(raw: Any) -> Any:
    """The cursor of a connection, made once: a new one costs half as much as a short statement.

    Every function here takes what it needs from the cursor before the next statement runs.
    """
    cursor = getattr(raw, CURSOR, None)
    if cursor is None:
        cursor = import_string(PREPARED)(raw)
        setattr(raw, CURSOR, cursor)
    return cursor


@contextmanager
def joined() -> Iterator[None]:
    """Let statements of `run_later` travel with the next statement, in a transaction that has begun.

    On PostgreSQL that saves a round trip each, for some processor time: so only with DATABASE_FAR. They run in their
    order, before anything else of the transaction, and their errors are raised at the latest at the end of the block,
    which comes before the commit.
    """
    connection = here()
    is_far = settings.DATABASE_FAR and connection.vendor == "postgresql"
    if not is_far or getattr(connection.connection, LATER, None) is not None:
        yield
        return
    raw = connection.connection
    setattr(raw, LATER, [])
    try:
        with connection.execute_wrapper(_sent_first):
            yield
        _send_waiting(connection)
    finally:
        setattr(raw, LATER, None)


def run_later(sql: str, params: Sequence[Any] = ()) -> None:
    """As `run`, for a statement whose result nobody needs: inside `joined` it waits for the next one."""
    waiting = getattr(here().connection, LATER, None)
    if waiting is None:
        run(sql, params)
    else:
        waiting.append((sql, params))


def _sent_first(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """Send what waits before a statement of Django's."""
    _send_waiting(context["connection"])
    return execute(sql, params, many, context)


def _send_waiting(connection: Any) -> None:
    waiting = getattr(connection.connection, LATER, None)
    if waiting:
        run(*waiting.pop())


def run(sql: str, params: Sequence[Any] = ()) -> Any:
    """Execute a statement and return its cursor, which is the next statement's, too; `params` as in `stored`."""
    connection = here()
    if connection.vendor != "postgresql":
        return connection.cursor().execute(sql, params)
    connection.ensure_connection()
    raw = connection.connection
    cursor = _cursor_of(raw)
    waiting = getattr(raw, LATER, None)
    logged = connection.queries_logged
    if not waiting and not logged and not connection.execute_wrappers:
        # As Django's cursor does, without its layers, which take longer than what they do.
        connection.validate_no_broken_transaction()
        with connection.wrap_database_errors:
            cursor.execute_prepared(sql, params)
        connection.health_check_done = True
        return cursor
    wrapped = connection.make_debug_cursor(cursor) if logged else connection.make_cursor(cursor)
    if waiting:
        sending = [*waiting]
        waiting.clear()
        with connection.wrap_database_errors, raw.pipeline():
            for one in sending:
                wrapped.execute(*one)
            wrapped.execute(sql, params)
    else:
        wrapped.execute(sql, params)
    connection.health_check_done = True  # otherwise the next transaction would begin with a SELECT 1
    return wrapped


def run_as_one(statements: Sequence[Statement]) -> None:
    """Run statements that each change rows of their own, in any order, as `run_later` does.

    PostgreSQL gets one statement of all of them, because each message costs processor time on both sides. None of them
    sees what the others have written. Do not combine what comes in many forms: each combination is prepared by itself.
    """
    if here().vendor == "postgresql" and statements:
        params = [value for _, given in statements for value in given]
        run_later(_as_one(tuple(sql for sql, _ in statements)), params)
        return
    for sql, given in statements:
        run_later(sql, given)


@lru_cache(maxsize=64)
def _as_one(texts: tuple[str, ...]) -> str:
    *others, last = texts
    parts = ", ".join(f"part_{number} AS ({text})" for number, text in enumerate(others))
    return f"WITH {parts} {last}" if parts else last


def fetch_one(sql: str, params: Sequence[Any] = ()) -> Any:
    """The first row of a query, or None."""
    cursor = run(sql, params)
    with here().wrap_database_errors:  # SQLite computes rows while they are fetched, which may fail
        return cursor.fetchone()


def fetch_all(sql: str, params: Sequence[Any] = ()) -> list[Any]:
    """All rows of a query."""
    cursor = run(sql, params)
    with here().wrap_database_errors:
        rows: list[Any] = cursor.fetchall()
    return rows


def statement_of(query: QuerySet[Any, Any]) -> tuple[str, list[Any]]:
    """The statement of a query with its parameters, for callers who keep it: to build it takes Django longest."""
    sql, params = query.query.sql_with_params()
    # Django marks each whole number as one of 32 bits, also larger ones, and leaves members of enumerations.
    return sql, [int(one) if isinstance(one, int) else str(one) for one in params]


def lock_clause() -> str:
    """What ends a SELECT whose rows are locked until the transaction ends. SQLite locks as a whole, and has none."""
    return " FOR NO KEY UPDATE" if here().vendor == "postgresql" else ""


@lru_cache(maxsize=64)
def _update(model: type[Model], names: tuple[str, ...], condition: str) -> str:
    fields = [model._meta.get_field(name) for name in names]
    assigned = ", ".join(f'"{field.column}" = %s' for field in fields)  # type: ignore[union-attr]
    return f'UPDATE "{model._meta.db_table}" SET {assigned} WHERE {condition}'  # noqa: S608 - names of our own models


def update(model: type[Model], values: Mapping[str, Any], condition: str, params: Sequence[Any]) -> int:
    """Set these fields where a condition holds, whose `params` are as stored; return how many rows have changed."""
    given = [stored(model, name, value.pk if isinstance(value, Model) else value) for name, value in values.items()]
    changed: int = run(_update(model, tuple(values), condition), [*given, *params]).rowcount
    return changed


def stored(model: type[Model], name: str, value: Any) -> Any:
    """`value` as the database stores it in the field `name`."""
    return model._meta.get_field(name).get_db_prep_save(value, here())  # type: ignore[union-attr]


class Columns(Generic[Row]):
    """A model's columns in a statement that calls its table `alias`; all of them, or `only` those fields."""

    def __init__(self, model: type[Row], alias: str, only: Sequence[str] = (), leave_out: Sequence[str] = ()) -> None:
        chosen = [field for field in model._meta.concrete_fields if not only or field.name in only]
        self.model, self.fields = model, [field for field in chosen if field.name not in leave_out]
        self.names = [field.attname for field in self.fields]
        self.sql = ", ".join(f'{alias}."{field.column}"' for field in self.fields)

    @cached_property
    def _converted(self) -> list[tuple[int, Any, list[Any]]]:
        """The places of values that are not read as they are, with what reads them."""
        found, connection = [], here()
        for place, field in enumerate(self.fields):
            expression = field.cached_col
            converters = connection.ops.get_db_converters(expression) + field.get_db_converters(connection)
            if converters:
                found.append((place, expression, converters))
        return found

    def take(self, values: Iterator[Any]) -> Row | None:
        """The instance that the next values of a row make; None if its first one is null, as after an outer join.

        It is made as `Model.from_db` makes it, which takes five times as long.
        """
        taken = list(islice(values, len(self.fields)))
        if taken[0] is None:
            return None
        connection = here() if self._converted else None
        for place, expression, converters in self._converted:
            for convert in converters:
                taken[place] = convert(taken[place], expression, connection)
        instance = self.model.__new__(self.model)
        instance._state = state = ModelState()
        state.adding, state.db = False, DEFAULT_DB_ALIAS
        instance.__dict__.update(zip(self.names, taken, strict=True))
        return instance

    def must_take(self, values: Iterator[Any]) -> Row:
        """As `take`, for rows that are always there."""
        taken = self.take(values)
        if taken is None:
            raise TypeError(f"A row of {self.model.__name__} has no primary key.")
        return taken


@lru_cache(maxsize=64)
def _insert(model: type[Model], rows: int, returning: bool, ignoring: bool) -> str:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    names = ", ".join(f'"{field.column}"' for field in fields)
    marks = ", ".join(["(" + ", ".join(["%s"] * len(fields)) + ")"] * rows)
    return (
        f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES {marks}'  # noqa: S608 - names of our own models
        f"{' ON CONFLICT DO NOTHING' if ignoring else ''}{' RETURNING id' if returning else ''}"
    )


@lru_cache
def _inserted_fields(model: type[Model]) -> list[tuple[Any, type | None]]:
    """The fields of an inserted row, each with its entry in STORED_AS_IT_IS."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    return [(field, STORED_AS_IT_IS.get(type(field))) for field in fields]


def _values(instance: Model) -> list[Any]:
    given, connection, values = instance.__dict__, here(), []
    for field, plain in _inserted_fields(type(instance)):
        value = given.get(field.attname)
        if plain is None or (value is not None and type(value) is not plain):
            value = field.get_db_prep_save(field.pre_save(instance, True), connection)
        values.append(value)
    return values


def insert(instance: Model, *, if_new: bool = False) -> bool:
    """Insert a row and give the instance its primary key; whether it was inserted.

    It is not if a unique constraint refuses it. Then this raises IntegrityError, or returns False with `if_new`.
    """
    returning = here().vendor == "postgresql"
    cursor = run(_insert(type(instance), 1, returning, if_new), _values(instance))
    if cursor.rowcount != 1:
        return False
    with here().wrap_database_errors:
        instance.pk = cursor.fetchone()[0] if returning else cursor.lastrowid
    instance._state.adding, instance._state.db = False, DEFAULT_DB_ALIAS
    return True


def insertion(instances: Sequence[Model]) -> list[Statement]:
    """The statement that inserts new rows of one model; none without rows. Their primary keys stay unknown."""
    if not instances:
        return []
    values = [value for instance in instances for value in _values(instance)]
    return [(_insert(type(instances[0]), len(instances), False, False), values)]
