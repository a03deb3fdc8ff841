"""Reads Parquet files as lines like those of a JSONL file. Only workers and commands load this module."""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from annotation.typed_columns import Column, ColumnKind
from config.outside_requests import outside_of_requests
from config.text_validation import TextRefusedError, check_json, time_text
from files.import_problems import ImportProblem, ImportRefusedError, quoted, refuse, unknown
from files.line_reading import JSONInvalidError, SourceFile, open_regular, parse_json
from files.tables.parquet_types import arrow_type
from files.tables.typed_tables import TypedTable

ROWS = 500


@outside_of_requests
def parquet_objects(source: SourceFile, table: TypedTable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (row number, line) for each row of a file. Raises ImportRefusedError if it is not such a file."""
    source.take_whole()
    name = source.path.name
    with open_regular(source.path) as raw:
        try:
            file = pq.ParquetFile(raw)
            columns = _columns(name, file.schema_arrow.names, table)
            schema = pa.schema([(column.name, arrow_type(column)) for column in columns])
            number = 0
            for batch in file.iter_batches(ROWS, columns=[column.name for column in columns]):
                for row in batch.cast(schema).to_pylist():
                    number += 1
                    line = _line(source, number, row, columns, table)
                    if line is not None:
                        yield number, line
        except (pa.ArrowException, UnicodeDecodeError) as problem:
            raise refuse(name, f"cannot be read as Parquet with this table's columns ({problem})") from None
    source.lines = number


def _columns(name: str, names: list[str], table: TypedTable) -> list[Column]:
    """Return the columns of the file that are read, with those that tell texts from JSON."""
    known = {column.name: column for column in table.columns}
    problems = [ImportProblem(name, 1, quoted(one), unknown("column", one, known)) for one in names if one not in known]
    problems += [ImportProblem(name, 1, one, "column is missing") for one in table.needed if one not in names]
    problems += [ImportProblem(name, 1, one, "appears twice") for one in known if names.count(one) > 1]
    if problems:
        raise ImportRefusedError(problems)
    return [known[one] for one in names if not known[one].added or one == "value_label"]


def _line(
    source: SourceFile, number: int, row: Mapping[str, Any], columns: list[Column], table: TypedTable
) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for column in columns:
        if row[column.name] is None:
            continue
        try:
            found[column.name] = check_json(_value(row, column), column.name)
        except JSONInvalidError as problem:
            source.problems.add(number, column.name, str(problem))
            return None
        except TextRefusedError as problem:
            source.problems.add(number, problem.place, problem.reason)
            return None
    return table.read(found)


def _value(row: Mapping[str, Any], column: Column) -> Any:
    value, kind = row[column.name], column.kind
    if kind is ColumnKind.VALUE:
        label = row.get("value_label")
        return parse_json(value) if label is None else label
    if kind is ColumnKind.JSON or (kind is ColumnKind.TEXT_OR_JSON and value[:1] in ("[", '"')):
        return parse_json(value)
    if kind is ColumnKind.TIME:
        return time_text(value)
    if kind is ColumnKind.RECORD:
        return _record(value, column.fields)
    if kind is ColumnKind.RECORDS:
        return [None if one is None else _record(one, column.fields) for one in value]
    return value


def _record(value: Mapping[str, Any], fields: tuple[Column, ...]) -> dict[str, Any]:
    return {field.name: _value(value, field) for field in fields if value[field.name] is not None}
