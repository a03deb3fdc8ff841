"""Items with their outputs, in batches."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.blinding import answer_levels, names_of, systems_of
from annotation.conversations import as_given
from annotation.models import Item, Study
from annotation.protocols import protocol_of
from annotation.studies.changed_places import changed_places
from annotation.typed_columns import Column, ColumnKind
from files.tables.typed_tables import ANSWERS, TypedTable
from files.writing.column_batches import ColumnBatch, Values, as_json, from_json, parsed
from files.writing.table_sources import placed, places_of, present
from files.writing.table_statements import OUTPUTS, Row, RowsOfItems, streamed

TABLES = {"": "i"}
ROWS = """
SELECT i.id, i.document_turns, i.content, time_text(i.withdrawn_at), i.withdrawn_reason, {columns}
FROM annotation_item i WHERE i.study_id = %(study)s AND i.pool <> 'copies' AND i.id > %(after)s AND i.id <= %(last)s
ORDER BY i.id
"""
PRIORITIES = {priority.value: priority.name.lower() for priority in Item.Priority if priority != Item.Priority.ORDINARY}
Output = dict[str, Any]


def item_batches(study: Study, table: TypedTable) -> Iterator[ColumnBatch]:
    """All items with their outputs, and with the places of tasks for which researchers added or cancelled some."""
    columns = placed(table.columns)
    shown, outputs = _ShownItems(study, columns, table), RowsOfItems(OUTPUTS, study.pk)
    for rows in streamed(ROWS.format(columns=places_of(columns, TABLES)), study.pk):
        yield shown.batch(rows, outputs)


class _ShownItems:
    """How the items of a study are shown."""

    def __init__(self, study: Study, columns: Sequence[Column], table: TypedTable) -> None:
        self.study, self.columns, self.table = study, columns, table
        self.needs_outputs = protocol_of(study).files.needs_outputs
        self.names, self.systems = names_of(study), systems_of(study)
        self.levels = answer_levels(study) if self.names.are_codes else {}

    def batch(self, rows: Sequence[Row], outputs: RowsOfItems) -> ColumnBatch:
        ids, turns, contents, withdrawn_at, reasons, *lists = zip(*rows, strict=True)
        found: dict[str, Values] = {}
        for column, values in zip(self.columns, lists, strict=True):
            if (own := present(column, values)) is not None:
                found[column.name] = self._shown(column, own)
        of_items = [[self._output(row) for row in outputs.of(item)] for item in ids]
        if self.names.are_codes:  # the order of import would tell systems apart
            of_items = [sorted(some, key=lambda output: str(output["id"])) for some in of_items]
        more: dict[str, Values] = {"outputs": of_items}
        if self.needs_outputs:
            more |= _conversations(found.get("document", ()), turns)
        else:
            found.pop("document", None)
            if "instruction" in found:
                found["instruction"] = [text or None for text in found["instruction"]]
            more["outputs"] = [some or None for some in of_items]
        more["withdrawn"] = [
            None if at is None else {"at": at, "reason": why} for at, why in zip(withdrawn_at, reasons, strict=True)
        ]
        changed = changed_places(self.study, ids[0], ids[-1])
        more["places"] = [self._places(changed.get(item, ())) for item in ids]
        more |= self._content(contents)
        return ColumnBatch(
            len(rows), found | {name: values for name, values in more.items() if any(values) or name in found}
        )

    def _shown(self, column: Column, values: Values) -> Values:
        if column.name == "priority":
            return [PRIORITIES.get(value) for value in values]
        if column.naming == ANSWERS and self.names.are_codes:
            return [self._answers(value) for value in values]
        if column.kind is ColumnKind.RECORDS:
            way = from_json(column)
            return [None if value is None else way(json.loads(value)) for value in values]
        return values

    def _answers(self, value: str | None) -> str | None:
        return None if value is None else as_json(self.names.answers(parsed(value), self.levels))

    def _output(self, row: Row) -> Output:
        _, key, text, turns, edited_from, writer, metadata = row
        about = {"id": self.names.shown(key), "text": text}
        if turns is not None:
            about |= {"text": "", "turns": as_given(text, json.loads(turns))}
        if edited_from:
            about["edited_from"] = self.names.shown(edited_from)
        if writer:
            about["writer"] = writer
        if metadata is not None and not self.names.are_codes:
            about["metadata"] = metadata
        return about

    def _places(self, tasks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
        """An item's `places`, with systems called as they are shown."""
        shown = [(self._called(task["outputs"]), self._variant(task), task) for task in tasks]
        if self.names.are_codes:  # the order of import would tell systems apart
            shown.sort(key=lambda one: (one[0], one[1] or ""))
        told = [
            {"outputs": as_json(keys), "variant": variant, "numbers": as_json(task["numbers"]),
             "third_raters": as_json(task.get("third_raters"))}
            for keys, variant, task in shown
        ]  # fmt: skip
        return told or None

    def _called(self, outputs: Sequence[str]) -> list[str]:
        called = [self.names.shown(key) for key in outputs]
        return sorted(called) if self.names.are_codes else called

    def _variant(self, task: Mapping[str, Any]) -> str | None:
        variant: str | None = self.names.known(task.get("variant"), self.systems)
        return variant

    def _content(self, contents: Values) -> dict[str, Values]:
        """The columns that only the study's protocol has."""
        if not any(contents):
            return {}
        told = [json.loads(content) if content else {} for content in contents]
        columns = [column for column in self.table.columns if any(column.name in one for one in told)]
        ways = [(column.name, from_json(column)) for column in columns]
        return {name: [None if one.get(name) is None else way(one[name]) for one in told] for name, way in ways}


def _conversations(documents: Values, turns: Values) -> dict[str, Values]:
    """The columns of documents, of which those with turns are conversations."""
    if not any(turns):
        return {}
    pairs = list(zip(documents, turns, strict=True))
    return {
        "document": [text if places is None else "" for text, places in pairs],
        "document_turns": [None if places is None else as_given(text, json.loads(places)) for text, places in pairs],
    }
