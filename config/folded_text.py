"""User names and addresses that are the same but for upper and lower case: A to Z are folded, nothing else is.

Databases and Python fold more, and each in its own way: PostgreSQL takes a dotless i for an i and a long s for an s,
and `str.casefold` makes `ß` `ss`. Somebody who chooses such a letter would be taken for somebody else.
"""

import string
from typing import Any

from django.db.models import CharField, Expression, Func, GeneratedField

_FOLDED = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded(text: str) -> str:
    """Return the text with A to Z in lower case, as `Folded` does in the database."""
    return text.translate(_FOLDED)


class Folded(Func):
    """The text of an expression with A to Z in lower case, on each database and whatever its collation."""

    arity = 1

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> tuple[str, tuple[Any, ...]]:  # type: ignore[override]
        [source] = self.get_source_expressions()
        assert isinstance(source, Expression)
        sql, params = compiler.compile(source)
        for upper, lower in zip(string.ascii_uppercase, string.ascii_lowercase, strict=True):
            sql = f"REPLACE({sql}, '{upper}', '{lower}')"
        return sql, tuple(params)


def folded_column(name: str, longest: int) -> GeneratedField:
    """A column in which the database itself keeps the folded form of the field `name`."""
    return GeneratedField(expression=Folded(name), output_field=CharField(max_length=longest), db_persist=True)
