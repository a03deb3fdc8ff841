"""What a check of the data is: a name, a sentence, and a query that finds the rows that break a rule.

A module of `operating/data_checks/` binds its checks to `CHECKS`, and parts bring theirs. A check of a healthy
database finds nothing. Checks read one snapshot and never keep more than a few rows, whatever the size of the data.
"""

import hashlib
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any

from django.db import connection

from config.parts import parts

SHOWN = 20
ROWS_AT_ONCE = 1000
ALTERED = "{} is not what its digest says: somebody has changed it."
Row = Mapping[str, object]


@dataclass(frozen=True)
class DataCheck:
    """A rule that the data keep. `sentence` says what is wrong with each row that `find` yields."""

    key: str
    sentence: str
    find: Callable[[], Iterable[Row]]


@dataclass
class Finding:
    """What a check has found: how many rows, and the first of them."""

    check: DataCheck
    count: int = 0
    rows: list[dict[str, str]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {"key": self.check.key, "sentence": self.check.sentence, "count": self.count, "rows": self.rows}


def sql_rows(sql: str, parameters: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query by the names of its columns, a thousand at a time."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        rows = cursor.fetchmany(ROWS_AT_ONCE)
        names = [column[0] for column in cursor.description or ()]
        while rows:
            for row in rows:
                yield dict(zip(names, row, strict=True))
            rows = cursor.fetchmany(ROWS_AT_ONCE)


def sql_check(key: str, sentence: str, sql: str) -> DataCheck:
    """A check that is one query without parameters, which returns the rows that are wrong."""
    return DataCheck(key, sentence, lambda: sql_rows(sql))


def digest_check(key: str, what: str, sql: str) -> DataCheck:
    """A check that each `body` of a query has the digest `sha256`: its rows are never changed."""

    def altered() -> Iterator[Row]:
        for row in sql_rows(sql):
            if hashlib.sha256(str(row["body"]).encode()).hexdigest() != row["sha256"]:
                yield {"id": row["id"]}

    return DataCheck(key, ALTERED.format(what), altered)


@cache
def all_checks() -> tuple[DataCheck, ...]:
    """All checks, in the order of their keys."""
    package = importlib.import_module("operating.data_checks")
    names = [info.name for info in pkgutil.iter_modules(package.__path__)]
    found = [check for name in names for check in importlib.import_module(f"operating.data_checks.{name}").CHECKS]
    found += [check for part in parts() for check in part.data_checks]
    keys = [check.key for check in found]
    if len(set(keys)) < len(keys):
        raise RuntimeError("Two checks of the data have the same key.")
    return tuple(sorted(found, key=lambda check: check.key))


def run_check(check: DataCheck, shown: int = SHOWN) -> Finding:
    """Look for the rows that break the rule; keep the first `shown`."""
    rows = iter(check.find())
    first = [{name: str(value) for name, value in row.items()} for row in islice(rows, shown)]
    return Finding(check, len(first) + sum(1 for _ in rows), first)
