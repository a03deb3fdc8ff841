"""Batches: rows of a table by columns, from which the files of all formats are written.

A column's list has None if a row has no value. Other values are as the database has them:

| kind | in a batch |
| --- | --- |
| text, time | a text; a time in ISO 8601 |
| whole number, number, yes or no | an int, a float, a bool |
| record, list of records | mappings of the fields' values, which are as in a batch |
| ranking | JSON of {system, rank}, in this order |
| all others | canonical JSON |
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from annotation.typed_columns import Column, ColumnKind
from config.model_fields import canonical_json

Values = Sequence[Any]
Text = Callable[[Any], str]
AT_ONCE = 1000
KEPT, LONG = 4096, 200
"""So many texts are kept with what was made of them, and only shorter ones."""


@dataclass(frozen=True)
class ColumnBatch:
    """Some rows of a table, by columns; a column that none of them has may be left out."""

    size: int
    columns: Mapping[str, Values]
    _texts: dict[tuple[str, Text], Sequence[str | None]] = field(default_factory=dict, compare=False, repr=False)

    def values(self, name: str) -> Values:
        """Return the values of a column that follows from no other."""
        found = self.columns.get(name)
        return (None,) * self.size if found is None else found

    def of(self, column: Column) -> Values | None:
        """Return a column's values, or None if no row has one."""
        if column.derive is None or column.name in self.columns:
            return self.columns.get(column.name)
        source = self.columns.get(column.source)
        return None if source is None else derived(column, source)

    def texts(self, column: Column, text: Text) -> Sequence[str | None] | None:
        """Return the texts that `text` makes of a column's values, or None if no row has one; they are made once."""
        key = column.name, text
        if key not in self._texts:
            values = self.of(column)
            if values is None:
                return None
            self._texts[key] = [None if value is None else text(value) for value in values]
        return self._texts[key]


def as_json(value: Any) -> str | None:
    """Return a value's JSON; None stays."""
    return None if value is None else canonical_json(value)


def remembered(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return `make`, which remembers what it has made of short texts."""
    kept = lru_cache(maxsize=KEPT)(make)
    return lambda text: kept(text) if len(text) < LONG else make(text)


parsed = remembered(json.loads)
"""The value of JSON. Several callers may have the same one, so none may change it."""


def batches_of(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[ColumnBatch]:
    """Yield batches of rows, whose values are those of JSON."""
    ways = [(column.name, from_json(column)) for column in columns]
    some: list[Mapping[str, Any]] = []
    for row in rows:
        some.append(row)
        if len(some) == AT_ONCE:
            yield _batch(some, ways)
            some = []
    if some:
        yield _batch(some, ways)


def _batch(rows: Sequence[Mapping[str, Any]], ways: Sequence[tuple[str, Callable[[Any], Any]]]) -> ColumnBatch:
    lists = {name: [None if (value := row.get(name)) is None else way(value) for row in rows] for name, way in ways}
    return ColumnBatch(
        len(rows), {name: values for name, values in lists.items() if any(one is not None for one in values)}
    )


def from_json(column: Column) -> Callable[[Any], Any]:
    """Return what makes a value of JSON one of a batch."""
    match column.kind:
        case ColumnKind.TEXT | ColumnKind.TIME | ColumnKind.WHOLE | ColumnKind.NUMBER | ColumnKind.YES_NO:
            return _same
        case ColumnKind.RECORD:
            return _record_from_json(column.fields)
        case ColumnKind.RECORDS:
            field = _record_from_json(column.fields)
            return lambda value: [field(one) for one in value]
        case ColumnKind.RANKING:
            return partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    return canonical_json


def _record_from_json(fields: Sequence[Column]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    ways = [(field.name, from_json(field)) for field in fields]
    return lambda value: {name: way(value[name]) for name, way in ways if value.get(name) is not None}


def _same(value: Any) -> Any:
    return value


def derived(column: Column, values: Values) -> Values:
    """Return the values of an added column from those of its source, which are JSON."""
    way, make = from_json(column), column.derive

    def of_text(text: str) -> Any:
        made = make(parsed(text)) if make else None
        return None if made is None else way(made)

    made_of = remembered(of_text)
    return [None if value is None else made_of(value) for value in values]
