"""Reads CSV files as objects like those in a JSONL file.

The files are UTF-8, with or without a byte order mark. The delimiter is the one of comma, semicolon and tab that occurs
most often in the first line. An empty cell means that the value is absent.
"""

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from annotation.typed_columns import Column, ColumnKind
from config.text_validation import TextRefusedError, check_json, check_text
from files.import_problems import ImportProblem, ImportRefusedError, quoted, refuse, unknown
from files.line_reading import BOM, JSONInvalidError, SourceFile, open_regular, parse_json
from files.tables.csv_cells import Cell, restore
from files.tables.csv_ways import CELL, FLAG, IGNORED, JSON, MIXED, NUMBER, TEXT, ways
from files.tables.typed_tables import TypedTable

DELIMITERS = (",", ";", "\t")

OF_OUTPUT = {"edited_from": "edited_from", "writer": "writer", "output_metadata": "metadata"}
ROW_PER_OUTPUT: Mapping[str, str] = {
    "item": TEXT, "document": TEXT, "document_turns": JSON, "instruction": TEXT, "source": TEXT, "category": MIXED,
    "categories": IGNORED, "reference": TEXT, "references": JSON, "set": TEXT, "pool": TEXT, "gold": JSON,
    "feedback": TEXT, "metadata": JSON, "priority": TEXT, "withdrawn": JSON, "places": JSON, "output": TEXT,
    "text": TEXT, "turns": JSON, "edited_from": TEXT, "writer": TEXT, "output_metadata": JSON,
}  # fmt: skip
"""The columns of items with one row per output."""


class _Rows:
    """The lines of a source for `csv.reader`; the size of a row is limited."""

    def __init__(self, source: SourceFile) -> None:
        self.source = source
        self.size = 0

    def __iter__(self) -> Iterator[str]:
        for number, raw in self.source.raw_lines():
            text = self.source.decode(number, raw)
            if text is None:
                self.source.problems.refuse_if_any()
                return
            self.size += len(raw)
            if self.size > settings.LINE_LIMIT:
                raise refuse(self.source.path.name, f"a row is longer than {settings.LINE_LIMIT} bytes", number)
            yield text


def rows(
    source: SourceFile, columns: Mapping[str, str], needed: Collection[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number of the row's last line, cells by column) for each row of a CSV file, without empty cells.

    Raises ImportRefusedError if the columns are wrong or the quoting is broken.
    """
    name = source.path.name
    csv.field_size_limit(settings.LINE_LIMIT)
    lines = _Rows(source)
    numbered = iter(lines)
    first = next(numbered, "")
    delimiter = _delimiter(first)
    reader = csv.reader(_chain(first, numbered), delimiter=delimiter, strict=True)
    header: list[str] = []
    try:
        for cells in reader:
            lines.size = 0
            if not header:
                header = _header(name, cells, columns, needed)
            elif any(cells):
                row = _row(source, reader.line_num, header, cells, columns)
                if row is not None:
                    yield reader.line_num, row
    except csv.Error as problem:
        raise refuse(name, f"is not valid CSV ({problem})", reader.line_num) from None
    if not header:
        raise refuse(name, "has no header line")


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from rest


def _delimiter(first: str) -> str:
    """Return the delimiter that splits the first line into the most columns."""
    return max(DELIMITERS, key=first.count)


def _header(name: str, cells: list[str], columns: Mapping[str, str], needed: Collection[str]) -> list[str]:
    header = [restore(cell) for cell in cells]
    problems = [
        ImportProblem(name, 1, quoted(cell), unknown("column", cell, columns)) for cell in header if cell not in columns
    ]
    problems += [ImportProblem(name, 1, cell, "appears twice") for cell in columns if header.count(cell) > 1]
    problems += [ImportProblem(name, 1, cell, "column is missing") for cell in needed if cell not in header]
    if problems:
        raise ImportRefusedError(problems)
    return header


def _row(
    source: SourceFile, line: int, header: list[str], cells: list[str], columns: Mapping[str, str]
) -> dict[str, Any] | None:
    if len(cells) != len(header):
        source.problems.add(line, "", f"has {len(cells)} cells, but the header has {len(header)} columns")
        return None
    row = {}
    for column, cell in zip(header, cells, strict=True):
        if not cell or columns[column] == IGNORED:
            continue
        try:
            row[column] = _value(check_text(cell, column), columns[column])
        except TextRefusedError as problem:
            source.problems.add(line, column, problem.reason)
            return None
        except JSONInvalidError as problem:
            source.problems.add(line, column, str(problem))
            return None
    return row


def _value(cell: str, how: str) -> Any:
    if how == CELL:
        return Cell(restore(cell))
    if how == JSON or (how == MIXED and cell[0] in '["'):
        return check_json(parse_json(cell))
    if how == FLAG:
        return cell_json(Cell(cell))
    if how == NUMBER:
        value = parse_json(cell)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise JSONInvalidError("is not a number")
        return value
    return restore(cell)


def typed_objects(source: SourceFile, table: TypedTable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of a CSV file with one row per line. The question decides how an answer is read."""
    for number, row in rows(source, ways(table.columns), table.needed):
        for column in table.columns:
            if column.always_text:
                row.setdefault(column.name, "")
        yield number, table.read(row)


def item_objects(source: SourceFile, table: TypedTable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the items of a CSV file with one row per item, whose outputs are JSON, or with one row per output."""
    if _has_row_per_item(source):
        return typed_objects(source, replace(table, columns=(*table.columns, Column("reference", ColumnKind.TEXT))))
    return _items_of_outputs(source)


def _has_row_per_item(source: SourceFile) -> bool:
    with open_regular(source.path) as file:
        first = file.readline(settings.LINE_LIMIT).removeprefix(BOM).decode(errors="replace")
    csv.field_size_limit(settings.LINE_LIMIT)
    try:
        return "id" in next(csv.reader([first], delimiter=_delimiter(first)), [])
    except csv.Error:
        return False  # the reader of its rows says what is wrong


def _items_of_outputs(source: SourceFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the items of a CSV file with one row per output; an item's rows are adjacent.

    The item's columns in later rows must repeat the first row or be empty.
    """
    line, item = 0, None
    for number, row in rows(source, ROW_PER_OUTPUT, ("item", "output", "text")):
        output = {"id": row.pop("output", None), "text": row.pop("turns", row.pop("text", ""))}
        output |= {key: row.pop(name) for name, key in OF_OUTPUT.items() if name in row}
        row["id"] = row.pop("item", None)
        if "document_turns" in row:
            row["document"] = row.pop("document_turns")
        if item is not None and item["id"] == row["id"]:
            changed = [key for key, value in row.items() if item.get(key) != value]
            if changed:
                source.problems.add(number, changed[0], f"differs from line {line}, which is about the same item")
            item["outputs"].append(output)
            continue
        if item is not None:
            yield line, item
        line, item = number, {**row, "outputs": [output]}
    if item is not None:
        yield line, item


def cell_json(cell: Cell) -> Any:
    """Return the value of a cell that is not text: JSON, or TRUE and FALSE as spreadsheets write them."""
    return json.loads(cell.lower()) if cell in ("TRUE", "FALSE") else parse_json(cell)
