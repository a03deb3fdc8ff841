"""The statements that read an export's large tables, one per table, and how their rows are streamed.

Each reads some items in the order of import and, along indexes, what belongs to them. Nothing is read or sorted as a
whole, so memory does not grow with the study on either database, and no plan depends on statistics of its tables.
`time_text` and `json_text` stand for what writes a time or a text as files have it.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from json.encoder import encode_basestring
from typing import Any

from django.db import connection

Row = tuple[Any, ...]
AT_ONCE, ITEMS_AT_ONCE = 2000, 500
ESCAPED = "".join(map(chr, range(1, 128))) + "\x85\u2028\ufeff\U0001f469"
"""Every character that JSON may escape, and some that it does not."""
WRITTEN: Mapping[tuple[str, str], str] = {
    ("sqlite", "time_text"): (
        "CASE length({0}) WHEN 19 THEN replace({0}, ' ', 'T') || '.000000Z'"
        " WHEN 26 THEN replace({0}, ' ', 'T') || 'Z' ELSE {0} END"
    ),
    ("postgresql", "time_text"): "to_char({0} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    ("sqlite", "json_text"): "CAST(json_quote({0}) AS BLOB)",
    ("postgresql", "json_text"): "to_json({0})::text",
}
"""What writes a value, by database. SQLite stores a time without microseconds if they are 0."""
MARK = re.compile(r"\b(time_text|json_text)\(([^()]+)\)")

NEXT_ITEMS = f"""
SELECT MAX(found.id) FROM (
  SELECT id FROM annotation_item WHERE study_id = %(study)s AND id > %(after)s ORDER BY id LIMIT {ITEMS_AT_ONCE}
) found
"""  # noqa: S608 - a number of ours
ITEMS = """
SELECT i.id, json_text(i.key), json_text(i.document), json_text(i.instruction),
  CASE WHEN i.source <> '' THEN json_text(i.source) END, i.content, i."references", i.categories, i."set", i.pool,
  i.gold, CASE WHEN i.feedback <> '' THEN json_text(i.feedback) END, i.metadata, i.priority,
  time_text(i.withdrawn_at), json_text(i.withdrawn_reason), i.document_turns,
  CASE WHEN i.document_turns IS NOT NULL THEN i.document END
FROM annotation_item i WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
ORDER BY i.id
"""
OUTPUTS = """
SELECT i.id, json_text(o.key), json_text(o.text), CASE WHEN o.edited_from <> '' THEN json_text(o.edited_from) END,
  o.writer, o.metadata, o.turns, CASE WHEN o.turns IS NOT NULL THEN o.text END
FROM annotation_item i CROSS JOIN annotation_output o
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s AND o.item_id = i.id
ORDER BY i.id, o.position
"""
RATINGS = """
SELECT i.id, COALESCE(o.position, -1), COALESCE(p.position, -1), r.variant, q.position, u.name, {order},
  COALESCE(time_text(r.submitted_at), ''), r.ordinal, r.value, r.id,
  i.key, o.key, p.key, q.key, u.kind, r.level, r.explanation, r.shown, r.seconds, r.guidelines_version, r.run,
  r.replicate, r.distribution, r.missing, r.outcome, r.prompt_digest, r.metadata, r.third_rater
FROM annotation_item i CROSS JOIN annotation_rating r
  JOIN annotation_rater u ON u.id = r.rater_id JOIN annotation_question q ON q.id = r.question_id
  LEFT JOIN annotation_output o ON o.id = r.output_id LEFT JOIN annotation_output p ON p.id = r.other_output_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND r.item_id = i.id AND r.is_current AND {raters} ORDER BY i.id
"""
PLAIN = (
    "r.run = '' AND r.replicate IS NULL AND r.distribution IS NULL AND r.missing IS NULL AND r.outcome = ''"
    " AND r.prompt_digest = '' AND r.metadata IS NULL AND NOT r.third_rater"
)
"""Says what only machines and third raters say: none of it."""
PEOPLES_RATINGS = f"""
SELECT i.id, COALESCE(o.position, -1), COALESCE(p.position, -1), r.variant, q.position, u.name,
  COALESCE(time_text(r.submitted_at), ''), r.ordinal, r.value, r.id, i.key, o.key, p.key, q.key, r.explanation, r.shown,
  r.seconds, r.guidelines_version, CASE WHEN {PLAIN} THEN NULL ELSE 1 END
FROM annotation_item i CROSS JOIN annotation_rating r
  JOIN annotation_rater u ON u.id = r.rater_id JOIN annotation_question q ON q.id = r.question_id
  LEFT JOIN annotation_output o ON o.id = r.output_id LEFT JOIN annotation_output p ON p.id = r.other_output_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND r.item_id = i.id AND r.is_current AND u.kind = 'human' ORDER BY i.id
"""  # noqa: S608 - a text of ours
"""The same rows as RATINGS of people with fewer columns: reading a column costs as much as writing it."""
OF_PEOPLE = {"raters": "u.kind = 'human'", "order": "'', -1, ''"}
OF_MACHINES = {"raters": "u.kind <> 'human'", "order": "r.run, COALESCE(r.replicate, -1), COALESCE(r.shown, 'null')"}
"""Runs, replicates and orders tell machines' ratings apart, before their times."""
ANNOTATIONS = """
SELECT i.id, t.id, t.variant, u.name, a.revision, i.key, u.kind, a.status, a.surplus, a.third_rater, a.answers,
  a.reason, a.flag, a.shown, a.guidelines_version, a.protocol_version, time_text(a.opened_at),
  time_text(a.submitted_at), a.seconds, a.visible_seconds, a.active_seconds, a.tool_use, a.metadata
FROM annotation_item i CROSS JOIN annotation_task t CROSS JOIN annotation_annotation a
  JOIN annotation_rater u ON u.id = a.rater_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND t.item_id = i.id AND a.task_id = t.id ORDER BY i.id
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


@cache
def _written(statement: str, vendor: str) -> str:
    return MARK.sub(lambda mark: WRITTEN[vendor, mark[1]].format(mark[2]), statement)


def streamed(statement: str, study: int) -> Iterator[list[Row]]:
    """Yield the rows of a statement in lists, from cursors that do not hold them all."""
    written, after = _written(statement, connection.vendor), 0
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


def quotes_as_python() -> bool:
    """Whether this database writes texts as JSON with the same bytes as Python, so that it can write them here."""
    with connection.cursor() as cursor:
        quoted = WRITTEN[connection.vendor, "json_text"].format("CAST(%s AS text)")
        cursor.execute(f"SELECT {quoted}", [ESCAPED])
        found = cursor.fetchone()[0]
    return as_bytes(found) == encode_basestring(ESCAPED).encode()


def as_bytes(text: str | bytes) -> bytes:
    """JSON as a database returns it, as bytes."""
    return text if isinstance(text, bytes) else text.encode()
