"""The types of columns: how a value of a table's line is written in JSONL, CSV and Parquet.

JSONL has a value in its own shape. CSV and Parquet have one type per column, and the same columns:

| kind | JSONL | CSV | Parquet |
| --- | --- | --- | --- |
| text, whole number, number | itself | itself | string, int64, double |
| yes or no | true or false | true or false | bool |
| time | ISO 8601 in UTC | the same | timestamp of microseconds in UTC |
| texts | a list | JSON | list of strings |
| record, records | an object, a list of objects | JSON | struct, list of structs |
| ranking | a list of {system, rank} | the same as JSON | list of {system, rank} |
| json | any value | JSON | string with JSON |
| text or json | a text or another value | the text, or JSON | string: the text, or JSON |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any


class ColumnKind(Enum):
    """The type of a column's values."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    YES_NO = "yes or no"
    TIME = "time"
    TEXTS = "list of texts"
    RECORD = "record"
    RECORDS = "list of records"
    RANKING = "ranking"
    JSON = "JSON"
    TEXT_OR_JSON = "text or JSON"
    VALUE = "an answer: its text, or JSON"


@dataclass(frozen=True)
class Column:
    """A column of a table. `fields` are those of its records.

    An `added` column follows from another (`source`), from whose value `derive` makes its own, or None: JSONL does not
    have it, and an import ignores it. A column `beside` another
    has values of another type, which JSONL has under the other's name. In an `always_text` column an empty cell of a
    CSV file is the empty text; in all others it is an absent value.

    `path` is where the database has the value: the way of Django's lookups from the table's model. Its value `absent`
    is left out of files. `naming` says how the value names systems, which a blinded study shows by codes.
    """

    name: str
    kind: ColumnKind
    about: str = ""
    fields: tuple["Column", ...] = ()
    source: str = ""
    derive: Callable[[Any], Any] | None = None
    beside: str = ""
    always_text: bool = False
    path: str = ""
    absent: Any = None
    naming: str = ""

    @property
    def added(self) -> bool:
        return self.derive is not None


def text(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.TEXT, about, **more)


text_column = text
"""The same for modules that call something else a text."""


def whole(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.WHOLE, about, **more)


def number(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.NUMBER, about, **more)


def yes_no(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.YES_NO, about, **more)


def time(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.TIME, about, **more)


def texts(name: str, about: str = "", **more: Any) -> Column:
    return Column(name, ColumnKind.TEXTS, about, **more)


def anything(name: str, about: str = "", **more: Any) -> Column:
    """A column of JSON."""
    return Column(name, ColumnKind.JSON, about, **more)


def record(name: str, about: str, *fields: Column, **more: Any) -> Column:
    return Column(name, ColumnKind.RECORD, about, fields, **more)


def records(name: str, about: str, *fields: Column, **more: Any) -> Column:
    return Column(name, ColumnKind.RECORDS, about, fields, **more)


def ranking(name: str, about: str = "", **more: Any) -> Column:
    """A column of rankings, each as `as_ranking` returns it."""
    return Column(name, ColumnKind.RANKING, about, **more)


def as_ranking(ranks: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return {system: rank} as a list of {"system", "rank"}, in the same order."""
    return [{"system": system, "rank": rank} for system, rank in ranks.items()]


def own_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns that an import reads and JSONL has."""
    return tuple(column for column in columns if not column.added)
