"""No cell of an exported CSV file runs as a formula, whichever separator a spreadsheet uses."""

import csv
import json
from itertools import product

import pytest

from annotation.typed_columns import Column, ColumnKind, anything, number, text
from files.tables.csv_cells import neutralise, neutralise_json, restore
from files.writing.column_batches import batches_of
from files.writing.table_files import table_file

pytestmark = pytest.mark.quick
SIGNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
SEPARATORS = (",", ";", "\t")
FORMULAS = {
    "=cmd": "'=cmd",
    "a;=cmd": "a;'=cmd",
    "a;'=cmd": "a;''=cmd",
    'a;"=cmd': "a;'\"=cmd",
    "a; =cmd": "a;' =cmd",
    "a;;@cmd": "a;;'@cmd",
    "a;\tb": "a;'\tb",
    "a;\t=cmd": "a;'\t'=cmd",
    "a\t+cmd": "a\t'+cmd",
    "a\r=cmd": "a\r'=cmd",
    "a\r\n-cmd;": "a\r\n'-cmd;",
    "a\n\n=cmd": "a\n\n'=cmd",
    "a;\uff1dcmd": "a;'\uff1dcmd",
    "a\n\uff0bcmd": "a\n'\uff0bcmd",
    "=a;=b\t=c": "'=a;'=b\t'=c",
    "\tcmd": "'\tcmd",
    " =cmd": "' =cmd",
}
HARMLESS = ("", "a", "a;b", "a; b", "a,=b", "a=b;c", "5;6", "it's; 'so'", "a\nb\n\nc", "a;", "'", "a;'b", "x = 1;\n")


def write_csv(path, columns, rows):
    file = table_file(path, columns, "csv")
    for batch in batches_of(columns, rows):
        file.add(batch)
    file.close()


def cells_of(path, delimiter):
    with path.open(newline="", encoding="utf-8") as file:
        return [cell for row in csv.reader(file, delimiter=delimiter) for cell in row]


@pytest.mark.parametrize(("text", "cell"), FORMULAS.items())
def test_a_formula_gets_an_apostrophe_wherever_a_cell_may_begin(text, cell):
    assert neutralise(text) == cell
    assert restore(cell) == text


@pytest.mark.parametrize("text", HARMLESS)
def test_a_text_without_a_formula_is_written_as_it_is(text):
    assert neutralise(text) == text == restore(text)


def test_every_text_is_read_back_as_it_was_written():
    for parts in product(("'", '"', ";", "\t", "\n", " ", "=", "a"), repeat=5):
        text = "".join(parts)
        assert restore(neutralise(text)) == text


def test_no_separator_makes_a_cell_that_begins_with_a_sign(tmp_path):
    leads = ("", "a;", "a\t", "a\n", "a\r\n", 'a;"', "a;'", "a;\t", 'say "a";', "a;;", "[;", '"a";')
    texts = [lead + sign + "cmd;b" for lead in leads for sign in SIGNS]
    rows = [{"text": one, "mixed": one, "json": {one: [one, 1]}, "more": one} for one in texts]
    columns = (text("text"), Column("mixed", ColumnKind.TEXT_OR_JSON), anything("json"), text("more"))
    write_csv(tmp_path / "table.csv", columns, rows)
    for delimiter in SEPARATORS:
        cells = cells_of(tmp_path / "table.csv", delimiter)
        assert not [cell for cell in cells if cell.startswith((*SIGNS, "\t", "\r", "\n"))]
    with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    assert [restore(row["text"]) for row in read] == [row["text"] for row in rows]
    assert [json.loads(row["json"]) for row in read] == [row["json"] for row in rows]


def test_a_cell_that_holds_a_separator_is_quoted(tmp_path):
    columns = (text("text"), text("more"))
    write_csv(tmp_path / "table.csv", columns, [{"text": "a;b", "more": "c"}, {"text": "a\tb", "more": "d,e"}])
    assert (tmp_path / "table.csv").read_bytes() == b'text,more\r\n"a;b",c\r\n"a\tb","d,e"\r\n'


def test_json_is_escaped_only_where_a_formula_would_begin():
    value = {"a;=b": "c;'-d; e;5"}
    text = neutralise_json('{"a;=b":"c;\'-d; e;5"}')
    assert text == '{"a;\\u003db":"c;\'\\u002dd; e;5"}'
    assert json.loads(text) == value
    assert neutralise_json('[-3,"=a","a;b"]') == '[-3,"=a","a;b"]'


def test_numbers_stay_numbers(tmp_path):
    columns = (number("value"), text("text"))
    write_csv(tmp_path / "table.csv", columns, [{"value": -3, "text": "-3"}, {"value": -0.5}, {"value": 1e22}])
    assert (tmp_path / "table.csv").read_text().split() == ["value,text", "-3,'-3", "-0.5,", "1e+22,"]
