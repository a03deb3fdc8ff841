"""Where the columns of large tables are in statements, and what their values are in batches.

A column's `path` is the way of Django's lookups; a statement names the tables on the way, such as `rater` as `u`.
"""

from collections.abc import Mapping, Sequence

from annotation.typed_columns import Column, ColumnKind
from files.writing.column_batches import Values

Tables = Mapping[str, str]
"""The names of tables in a statement, by the way to them; no way leads to the table itself."""


def placed(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with a place of their own in the database."""
    return [column for column in columns if column.path]


def places_of(columns: Sequence[Column], tables: Tables) -> str:
    """Return what a statement selects for columns with a place of their own."""
    return ", ".join(_place(column, tables) for column in columns)


def _place(column: Column, tables: Tables) -> str:
    way, _, name = column.path.rpartition("__")
    place = f'{tables[way]}."{name}"'
    return f"time_text({place})" if column.kind is ColumnKind.TIME else place


def present(column: Column, values: Values) -> Values | None:
    """Return the values that files have, None for those that they leave out; None if they leave out all."""
    absent = column.absent
    missing = values.count(absent)
    if missing == len(values):
        return None
    return [None if value == absent else value for value in values] if missing and absent is not None else values
