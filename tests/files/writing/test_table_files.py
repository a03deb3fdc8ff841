"""Values of every kind are the same in all formats, however rows are put together in batches."""

import csv
import json

import pyarrow.parquet
import pytest

from annotation.typed_columns import (
    Column,
    ColumnKind,
    anything,
    number,
    ranking,
    record,
    records,
    text,
    texts,
    time,
    whole,
    yes_no,
)
from files.writing.column_batches import ColumnBatch, batches_of
from files.writing.table_files import FORMATS, table_file
from files.writing.table_list import TableRows
from files.writing.typed_copies import CopyFile

pytestmark = pytest.mark.quick
TURNS = (text("role"), text("text"))
COLUMNS = (
    text("name"),
    text('a "quoted" \\ key'),
    whole("count"),
    number("share"),
    yes_no("sure"),
    time("at"),
    texts("labels"),
    record("span", "", whole("end"), anything("more"), text("note")),
    records("outputs", "", text("id"), text("text"), records("turns", "", *TURNS, beside="text")),
    ranking("order"),
    anything("metadata"),
    Column("category", ColumnKind.TEXT_OR_JSON),
    Column("value", ColumnKind.VALUE),
)
RANKS = [{"system": "b", "rank": 1}, {"system": "a", "rank": 2}]
ROW = {
    "name": 'ünïcode "\\ \n\t\x01 🙂', 'a "quoted" \\ key': "", "count": 3, "share": 1e22, "sure": False,
    "at": "2026-03-01T12:00:00.000001Z", "labels": ["x", '"y"'], "span": {"end": 5, "more": [1, {"b": None}]},
    "outputs": [{"id": "a", "text": "t"}, {"id": "b", "text": "", "turns": [{"role": "User", "text": "Hi"}]}],
    "order": RANKS, "metadata": {"z": 1, "a": [True, None]}, "category": '["no JSON', "value": "[1]",
}  # fmt: skip
EMPTY = {"name": "nothing else"}


def written(path, form, rows, size=2):
    file = table_file(path, COLUMNS, form)
    for start in range(0, len(rows), size):
        for batch in batches_of(COLUMNS, rows[start : start + size]):
            file.add(batch)
    return file.close()


def test_jsonl_has_the_objects_with_a_conversation_under_the_name_of_the_text(tmp_path):
    assert written(tmp_path / "t.jsonl", "jsonl", [EMPTY, ROW]).lines == 2
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_bytes().splitlines()]
    said = {**ROW, "outputs": [ROW["outputs"][0], {"id": "b", "text": [{"role": "User", "text": "Hi"}]}]}
    assert lines == [EMPTY, said]
    assert list(lines[1]) == [column.name for column in COLUMNS]


def test_csv_has_json_in_cells_and_empty_cells_for_what_is_absent(tmp_path):
    written(tmp_path / "t.csv", "csv", [EMPTY, ROW])
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        empty, row = csv.DictReader(file)
    assert {name for name, cell in empty.items() if cell} == {"name"}
    assert (row["count"], row["share"], row["sure"], row["at"]) == ("3", "1e+22", "false", ROW["at"])
    assert json.loads(row["category"]) == ROW["category"]
    assert row["value"] == "[1]"
    for name in ("labels", "span", "outputs", "order", "metadata"):
        assert json.loads(row[name]) == ROW[name]


def test_parquet_has_the_types_of_the_columns(tmp_path):
    written(tmp_path / "t.parquet", "parquet", [EMPTY, ROW, EMPTY])
    first, row, last = pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist()
    assert first == last == {column.name: EMPTY.get(column.name) for column in COLUMNS}
    assert (row["name"], row["count"], row["share"], row["sure"]) == (ROW["name"], 3, 1e22, False)
    assert row["at"].isoformat() == "2026-03-01T12:00:00.000001+00:00"
    assert (row["labels"], row["order"], row["value"]) == (ROW["labels"], RANKS, "[1]")
    assert row["span"] == {"end": 5, "more": '[1,{"b":null}]', "note": None}
    assert row["outputs"] == [{"id": "a", "text": "t", "turns": None}, ROW["outputs"][1]]
    assert (json.loads(row["metadata"]), json.loads(row["category"])) == (ROW["metadata"], ROW["category"])


@pytest.mark.parametrize("form", FORMATS)
def test_the_bytes_do_not_depend_on_the_size_of_batches(tmp_path, form):
    rows = [ROW, EMPTY, {**ROW, "name": "again"}, EMPTY, EMPTY]
    files = [written(tmp_path / f"{size}.{form}", form, rows, size) for size in (5, 2, 1)]
    if form == "parquet":
        tables = [pyarrow.parquet.read_table(tmp_path / f"{size}.{form}").to_pylist() for size in (5, 2, 1)]
        assert tables[0] == tables[1] == tables[2]
    else:
        assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_without_rows_has_no_file(tmp_path, form):
    assert written(tmp_path / f"t.{form}", form, []).lines == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [[EMPTY, ROW, EMPTY], [ROW, EMPTY], [EMPTY, {**EMPTY, "count": 0}]])
def test_a_typed_copy_has_all_columns_that_some_row_has_in_every_line(tmp_path, rows):
    def batches():
        return (batch for row in rows for batch in batches_of(COLUMNS, [row]))

    copy = CopyFile(tmp_path, TableRows("t", "", COLUMNS, batches))
    for batch in batches():
        copy.add(batch)
    done = copy.close()
    present = [column.name for column in COLUMNS if any(column.name in row for row in rows)]
    assert [column.name for column in done.columns] == present
    lines = [json.loads(line) for line in (tmp_path / done.name).read_bytes().splitlines()]
    assert [list(line) for line in lines] == [present] * len(rows) == [present] * done.file.lines
    assert [line["name"] for line in lines] == [row["name"] for row in rows]
    assert all(type(line["count"]) is int for line, row in zip(lines, rows, strict=True) if "count" in row)


def test_an_added_column_follows_from_its_source():
    column = number("doubled", source="count", derive=lambda count: 2.0 * count if count else None)
    assert ColumnBatch(3, {"count": ["1", "0", None]}).of(column) == [2.0, None, None]
    assert ColumnBatch(3, {}).of(column) is None
