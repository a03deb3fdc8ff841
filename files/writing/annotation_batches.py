"""Annotations in batches: all revisions of people's answers to tasks, whatever their status."""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.blinding import Names, answer_levels, names_of, systems_of
from annotation.models import Study
from annotation.page_times import are_odd_times
from annotation.typed_columns import Column
from files.tables.typed_tables import TypedTable
from files.writing.column_batches import KEPT, ColumnBatch, Values, as_json, parsed
from files.writing.table_sources import placed, places_of, present
from files.writing.table_statements import TASK_OUTPUTS, Row, RowsOfItems, by_whole_items, streamed

TABLES = {"task__item": "i", "task": "t", "rater": "u", "": "a"}
ROWS = """
SELECT i.id, t.id, t.variant, u.name, a.revision, {columns}
FROM annotation_item i CROSS JOIN annotation_task t CROSS JOIN annotation_annotation a
  JOIN annotation_rater u ON u.id = a.rater_id
WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
  AND t.item_id = i.id AND a.task_id = t.id ORDER BY i.id
"""
FIRST_COLUMN = 5
Outputs = tuple[tuple[int, ...], tuple[str, ...]]
"""The positions of a task's outputs in the item, and their keys."""
NONE: Outputs = ((), ())


def annotation_batches(study: Study, table: TypedTable) -> Iterator[ColumnBatch]:
    """All revisions of every annotation, in the order of items, outputs, variants, raters and revisions."""
    columns = placed(table.columns)
    statement, outputs = ROWS.format(columns=places_of(columns, TABLES)), RowsOfItems(TASK_OUTPUTS, study.pk)
    shown = _ShownAnnotations(study)
    for rows in by_whole_items(streamed(statement, study.pk)):
        ordered: list[Row] = []
        of_tasks: list[Outputs] = []
        for item, group in groupby(rows, key=itemgetter(0)):
            tasks = _tasks(outputs.of(item))
            found = sorted(group, key=lambda row: (shown.order(tasks.get(row[1], NONE)), row[2:FIRST_COLUMN]))
            ordered += found
            of_tasks += [tasks.get(row[1], NONE) for row in found]
        yield _batch(ordered, of_tasks, columns, shown)


def _tasks(rows: list[Row]) -> dict[int, Outputs]:
    if len(rows) == 1:
        return {rows[0][1]: ((rows[0][3],), (rows[0][4],))}
    found = groupby(sorted(rows), key=itemgetter(1))
    listed = ((task, list(of_task)) for task, of_task in found)
    return {task: (tuple(row[3] for row in of_task), tuple(row[4] for row in of_task)) for task, of_task in listed}


class _ShownAnnotations:
    """How a study's annotations call systems."""

    def __init__(self, study: Study) -> None:
        self.names: Names = names_of(study)
        self._systems = systems_of(study)
        self._levels = answer_levels(study) if self.names.are_codes else {}
        self.listed = lru_cache(maxsize=KEPT)(self._listed)

    def order(self, outputs: Outputs) -> Sequence[Any]:
        """What the outputs of a task are ordered by: the order of import or, as that would tell systems, of codes."""
        return sorted(map(self.names.shown, outputs[1])) if self.names.are_codes else outputs[0]

    def outputs(self, outputs: Outputs) -> str:
        """A task's outputs as JSON."""
        return self.listed(tuple(self.order(outputs)) if self.names.are_codes else outputs[1])

    def _listed(self, names: tuple[str, ...]) -> str:
        return json.dumps(names, ensure_ascii=False, separators=(",", ":"))

    def in_order(self, shown: str, outputs: Outputs) -> str:
        """A task's outputs in the order in which they were shown, as JSON."""
        return self.listed(tuple(self.names.shown(outputs[1][place]) for place in parsed(shown)))

    def values(self, column: Column, values: Values) -> Values | None:
        """A column's values; None if none may be shown."""
        if not self.names.are_codes or not column.naming:
            return present(column, values)
        if column.name == "variant":
            return [self.names.known(value, self._systems) or None for value in values]
        if column.name == "answers":
            return [as_json(self.names.answers(parsed(value), self._levels)) for value in values]
        return None


def _batch(rows: list[Row], outputs: list[Outputs], columns: Sequence[Column], shown: _ShownAnnotations) -> ColumnBatch:
    lists = list(zip(*rows, strict=True))
    found: dict[str, Values] = {"outputs": list(map(shown.outputs, outputs))}
    for column, values in zip(columns, lists[FIRST_COLUMN:], strict=True):
        if column.name == "shown":
            found["shown"] = list(map(shown.in_order, values, outputs))
        elif (own := shown.values(column, values)) is not None:
            found[column.name] = own
    times = [found.get(name) or (None,) * len(rows) for name in ("seconds", "visible_seconds", "active_seconds")]
    found["odd_times"] = [are_odd_times(*one) or None for one in zip(*times, strict=True)]
    return ColumnBatch(len(rows), found)
