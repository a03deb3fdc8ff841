"""The cursor that prepares statements on PostgreSQL. A site on SQLite does not load its library."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connections
from django.db.utils import DEFAULT_DB_ALIAS
from psycopg import RawCursor
from psycopg.types.numeric import Int8


@lru_cache(maxsize=256)
def _numbered(sql: str) -> str:
    """A statement with PostgreSQL's own placeholders, `$1` for the first `%s`."""
    first, *others = sql.split("%s")
    return first + "".join(f"${place}{text}" for place, text in enumerate(others, 1))


class PreparedCursor(RawCursor):
    """A cursor that has PostgreSQL prepare each statement at its first use on a connection."""

    def execute(self, query: Any, params: Any = None, **more: Any) -> "PreparedCursor":
        """Execute a statement that Django may log.

        What is logged, as in tests, is not prepared: of a prepared statement the cursor does not keep the text.
        """
        prepared = not connections[DEFAULT_DB_ALIAS].queries_logged
        super().execute(_numbered(query), _sent(params), prepare=prepared, **more)
        return self

    def execute_prepared(self, query: str, params: Sequence[Any]) -> None:
        """Execute a statement that nobody logs."""
        super().execute(_numbered(query), _sent(params), prepare=True)


def _sent(params: Sequence[Any] | None) -> list[Any]:
    """All whole numbers as bigint: otherwise each mixture of large and small ones is a statement of its own."""
    return [Int8(value) if type(value) is int else value for value in params or ()]
