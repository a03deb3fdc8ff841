"""Ratings and scores, the largest tables, in batches."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from annotation.blinding import Names, names_of, systems_of
from annotation.models import Study
from annotation.protocols import Unit, protocol_of
from annotation.typed_columns import Column
from config.text_validation import given
from files.tables.typed_tables import ANY, LIST, SHARES, TypedTable
from files.writing.column_batches import KEPT, ColumnBatch, Values, as_json, parsed
from files.writing.table_sources import placed, places_of, present
from files.writing.table_statements import Row, by_whole_items, streamed

ITEM, UNIT, LEVEL = "#item", "#unit", "#level"
"""Columns of batches that no file has: the item's primary key, the unit, and the level of measurement."""
TABLES = {"item": "i", "output": "o", "other_output": "p", "question": "q", "rater": "u", "": "r"}
OF_PEOPLE, OF_MACHINES = "u.kind = 'human'", "u.kind <> 'human'"
ORDERS = {OF_PEOPLE: "'', -1, ''", OF_MACHINES: "r.run, COALESCE(r.replicate, -1), COALESCE(r.shown, 'null')"}
"""Runs, replicates and orders tell machines' ratings apart, before their times."""
ROWS = """
SELECT i.id, COALESCE(o.position, -1), COALESCE(p.position, -1), r.variant, q.position, u.name, {order},
  COALESCE(time_text(r.submitted_at), ''), r.ordinal, r.value, r.id, o.key, p.key, r.level, {columns}
FROM annotation_item i CROSS JOIN annotation_rating r
  JOIN annotation_rater u ON u.id = r.rater_id JOIN annotation_question q ON q.id = r.question_id
  LEFT JOIN annotation_output o ON o.id = r.output_id LEFT JOIN annotation_output p ON p.id = r.other_output_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND r.item_id = i.id AND r.is_current AND {raters} ORDER BY i.id
"""
VARIANT, PK = 3, 12
"""The places of a row's variant and of its primary key, which ends its order."""
OUTPUT, OTHER, LEVEL_PLACE, FIRST_COLUMN = 13, 14, 15, 16
IN_ORDER = {"rater": 5, "submitted_at": 9, "value": 11}
"""The places of columns that the order has already: reading a column costs as much as writing it."""


def rating_batches(study: Study, table: TypedTable) -> Iterator[ColumnBatch]:
    """The current answers of people."""
    return _batches(study, table, OF_PEOPLE)


def score_batches(study: Study, table: TypedTable) -> Iterator[ColumnBatch]:
    """The current answers of models and metrics."""
    return _batches(study, table, OF_MACHINES)


def _batches(study: Study, table: TypedTable, raters: str) -> Iterator[ColumnBatch]:
    names, own = names_of(study), placed(table.columns)
    more = [column for column in own if column.name not in IN_ORDER]
    statement = ROWS.format(raters=raters, order=ORDERS[raters], columns=places_of(more, TABLES))
    columns = [(column, IN_ORDER[column.name]) for column in own if column.name in IN_ORDER]
    columns += [(column, place) for place, column in enumerate(more, FIRST_COLUMN)]
    units = _unit_columns(study)
    for rows in by_whole_items(streamed(statement, study.pk)):
        rows.sort()
        yield _batch(_in_order_of_codes(rows, names) if names.are_codes else rows, columns, names, units)


def _in_order_of_codes(rows: list[Row], names: Names) -> list[Row]:
    """The rows of each item in an order by codes: that of import would tell systems apart."""

    def place(row: Row) -> tuple[Any, ...]:
        return row[0], names.shown(row[OUTPUT]) or "", names.shown(row[OTHER]) or "", row[VARIANT : PK + 1]

    return sorted(rows, key=place)


def _batch(
    rows: list[Row], columns: Sequence[tuple[Column, int]], names: Names, units: Callable[..., dict[str, Values]]
) -> ColumnBatch:
    lists = list(zip(*rows, strict=True))
    outputs, others, variants, levels = lists[OUTPUT], lists[OTHER], lists[VARIANT], lists[LEVEL_PLACE]
    found: dict[str, Values] = {
        ITEM: lists[0],
        LEVEL: levels,
        UNIT: list(zip(outputs, others, variants, strict=True)),
        **units(outputs, others, variants),
    }
    for column, place in columns:
        shown = _as_shown(column, lists[place], levels, names)
        if shown is not None:
            found[column.name] = shown
    return ColumnBatch(len(rows), found)


def _as_shown(column: Column, values: Values, levels: Values, names: Names) -> Values | None:
    """A column's values as a batch has them, with systems called as they are shown; None if none may be shown."""
    if names.are_codes and column.naming:
        return _by_codes(column, values, levels, names)
    return present(column, values)


def _by_codes(column: Column, values: Values, levels: Values, names: Names) -> Values | None:
    if column.naming == ANY:
        return None
    if column.naming == LIST:
        return [None if value is None else as_json(names.listed(parsed(value))) for value in values]
    call = names.shares if column.naming == SHARES else names.value
    pairs = zip(levels, values, strict=True)
    return [None if value is None else as_json(call(level, parsed(value))) for level, value in pairs]


def _unit_columns(study: Study) -> Callable[[Values, Values, Values], dict[str, Values]]:
    """What makes the columns that name units from the rows' outputs and variants."""
    protocol, names, systems = protocol_of(study), names_of(study), systems_of(study)

    @lru_cache(maxsize=KEPT)
    def named(output: str | None, other: str | None, variant: str) -> dict[str, Any]:
        unit = Unit(names.shown(output), names.shown(other), names.known(variant, systems))
        line = given(protocol.unit_line(unit))
        return {key: value if isinstance(value, str | int) else as_json(value) for key, value in line.items()}

    def columns(outputs: Values, others: Values, variants: Values) -> dict[str, Values]:
        lines = list(map(named, outputs, others, variants))
        keys = dict.fromkeys(key for line in {id(line): line for line in lines}.values() for key in line)
        return {key: [line.get(key) for line in lines] for key in keys}

    return columns
