"""The statements that read an export's large tables, one per table, and how their rows are streamed.

Each reads some items in the order of import and, along indexes, what belongs to them. Nothing is read or sorted as a
whole, so memory does not grow with the study on either database, and no plan depends on statistics of its tables.
`time_text` stands for what writes a time as files have it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection

Row = tuple[Any, ...]
AT_ONCE, ITEMS_AT_ONCE = 2000, 500
TIME_TEXT = {
    "sqlite": (
        "CASE length({0}) WHEN 19 THEN replace({0}, ' ', 'T') || '.000000Z'"
        " WHEN 26 THEN replace({0}, ' ', 'T') || 'Z' ELSE {0} END"
    ),
    "postgresql": "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
}
"""What writes a time, by database. SQLite stores one without microseconds if they are 0."""
MARK = re.compile(r"\btime_text\(([^()]+)\)")

NEXT_ITEMS = f"""
SELECT MAX(found.id) FROM (
  SELECT id FROM annotation_item WHERE study_id = %(study)s AND id > %(after)s ORDER BY id LIMIT {ITEMS_AT_ONCE}
) found
"""  # noqa: S608 - a number of ours
OUTPUTS = """
SELECT i.id, o.key, o.text, o.turns, o.edited_from, o.writer, o.metadata
FROM annotation_item i CROSS JOIN annotation_output o
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s AND o.item_id = i.id
ORDER BY i.id, o.position
"""
TASK_OUTPUTS = """
SELECT i.id, t.id, x.position, o.position, o.key
FROM annotation_item i CROSS JOIN annotation_task t CROSS JOIN annotation_taskoutput x
  JOIN annotation_output o ON o.id = x.output_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND t.item_id = i.id AND x.task_id = t.id ORDER BY i.id
"""

SETTINGS_BEFORE = "SELECT current_setting('join_collapse_limit'), current_setting('enable_sort')"
SET_FOR_NOW = "SELECT set_config('join_collapse_limit', %s, true), set_config('enable_sort', %s, true)"


def written_for(statement: str) -> str:
    """Return a statement for the database at hand."""
    return _written(statement, connection.vendor)


@cache
def _written(statement: str, vendor: str) -> str:
    return MARK.sub(lambda mark: TIME_TEXT[vendor].format(mark[1]), statement)


def streamed(statement: str, study: int) -> Iterator[list[Row]]:
    """Yield the rows of a statement in lists, from cursors that do not hold them all."""
    written, after = written_for(statement), 0
    while True:
        with _planned_as_written():
            last = _last_of_next(study, after)
            if last is None:
                return
            cursor = connection.chunked_cursor()
            cursor.execute(written, {"study": study, "after": after, "last": last})
        try:
            while rows := cursor.fetchmany(AT_ONCE):
                yield rows
        finally:
            cursor.close()
        after = last


@contextmanager
def _planned_as_written() -> Iterator[None]:
    """Let PostgreSQL join in the order of the statement and along indexes, as SQLite does; cursors keep their plan.

    A database without statistics, such as after an import, may otherwise read all ratings of a rater for each list, or
    sort all items that are left.
    """
    if connection.vendor != "postgresql" or not connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(SETTINGS_BEFORE)
        before = cursor.fetchone()
        cursor.execute(SET_FOR_NOW, ["1", "off"])
        yield
        cursor.execute(SET_FOR_NOW, before)


def _last_of_next(study: int, after: int) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(NEXT_ITEMS, {"study": study, "after": after})
        last: int | None = cursor.fetchone()[0]
    return last


def by_whole_items(lists: Iterator[list[Row]]) -> Iterator[list[Row]]:
    """Cut lists of rows, sorted by their first column, between items, so that each list has all rows of its items."""
    kept: list[Row] = []
    for rows in lists:
        kept += rows
        last, place = kept[-1][0], len(kept) - 1
        while place and kept[place - 1][0] == last:
            place -= 1
        if place:
            yield kept[:place]
            kept = kept[place:]
    if kept:
        yield kept


class RowsOfItems:
    """What a statement reads of items that are asked for in the order of import."""

    def __init__(self, statement: str, study: int) -> None:
        self._rows = (row for rows in streamed(statement, study) for row in rows)
        self._next = next(self._rows, None)

    def of(self, item: int) -> list[Row]:
        """The rows of an item that comes after those asked for before."""
        found = []
        while self._next is not None and self._next[0] <= item:
            if self._next[0] == item:
                found.append(self._next)
            self._next = next(self._rows, None)
        return found
