"""CSV: columns, delimiters, encodings, formulas."""

import pytest

from annotation.models import Item, Output, Rating
from files.reading import ImportRefusedError, import_study
from files.tables.csv_cells import neutralise, restore

STUDY = """
slug: ferries
protocol: rating
redundancy: 1
questions:
  - {key: follows, type: binary}
  - {key: how_well, type: likert, min: 1, max: 5}
  - {key: kinds, type: category, choices: [short, "7"], multiple: true}
  - {key: kind, type: category, choices: [short, "7"]}
  - {key: comment, type: text}
"""
ITEMS = b"item,document,instruction,output,text\nharbour,It sails.,When?,north,At nine.\nharbour,,,south,At ten.\n"

pytestmark = pytest.mark.django_db


@pytest.fixture
def load(tmp_path):
    """A function that imports CSV tables given as bytes."""

    def run(**tables):
        (tmp_path / "study.yaml").write_text(STUDY)
        for name, body in {"items": ITEMS, **tables}.items():
            (tmp_path / f"{name}.csv").write_bytes(body)
        import_study(tmp_path)

    return run


def refusal(load, **tables):
    with pytest.raises(ImportRefusedError) as refused:
        load(**tables)
    assert not Item.objects.exists()
    return "\n".join(str(problem) for problem in refused.value.problems)


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body,
        lambda body: b"\xef\xbb\xbf" + body,
        lambda body: body.replace(b",", b";"),
        lambda body: body.replace(b",", b"\t"),
        lambda body: body.replace(b"\n", b"\r\n"),
    ],
    ids=["plain", "byte order mark", "semicolons", "tabs", "CRLF"],
)
def test_csv_is_read_with_any_delimiter_mark_and_line_end(load, change):
    load(items=change(ITEMS))
    assert list(Output.objects.order_by("position").values_list("item__document", "key", "text")) == [
        ("It sails.", "north", "At nine."),
        ("It sails.", "south", "At ten."),
    ]


def test_line_ends_and_quotes_inside_cells_are_kept(load):
    load(items=b'item,output,text\na,n," one\r\n""two"",\n three "\n')
    assert Output.objects.get().text == ' one\r\n"two",\n three '


def test_values_are_read_as_their_questions_expect(load):
    values = [
        b"follows,TRUE",
        b"follows,false",
        b"how_well,4",
        b'kinds,"[""7""]"',
        b"kind,7",
        b"comment,5",
        b"comment,'=1",
    ]
    rows = b"".join(b"harbour,north,ann,%s\n" % value for value in values)
    load(ratings=b"item,output,rater,question,value\n" + rows)
    read = [repr(value) for value in Rating.objects.values_list("value", flat=True)]
    assert sorted(read) == sorted(map(repr, [True, False, 4, ["7"], "7", "5", "=1"]))


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("4.0", "must be a whole number from 1 to 5"),
        ('"4,5"', "must be a whole number"),
        ("\uff15", "must be a whole number"),
        ("true", "must be a whole number"),
        ("", "must be a whole number"),
        ("nan", "must be a whole number"),
    ],
)
def test_no_cell_is_coerced(load, cell, reason):
    body = f"item,output,rater,question,value\nharbour,north,ann,how_well,{cell}\n".encode()
    assert f"ratings.csv, line 2: value: {reason}" in refusal(load, ratings=body)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (b"", "has no header line"),
        (b"item,output,text,colour\n", 'line 1: "colour": unknown column'),
        (b"item,output\n", "line 1: text: column is missing"),
        (b"item,output,text,text\n", "line 1: text: appears twice"),
        (b"item,output,text\na,n\n", "line 2: has 2 cells, but the header has 3 columns"),
        (b'item,output,text\na,n,"x"y\n', "line 2: is not valid CSV"),
        (b'item,output,text\na,n,"x\n', "line 2: is not valid CSV"),
        (b"item,output,text\na,n,caf\xe9\n", "line 2: is not UTF-8 (byte 0xE9"),
        ("item,output,text\na,n,x\n".encode("utf-16"), "looks like UTF-16"),
        (b"item,output,text\na,n,x\0y\n", "line 2: text: contains the character NUL"),
        (b"item,output,text,metadata\na,n,x,{\n", "line 2: metadata: is not JSON"),
        (b"item,document,output,text\na,one,n,x\na,two,m,x\n", "line 3: document: differs from line 2"),
        (b"item,output,text\na,n,x\nb,n,x\na,m,x\n", 'line 4: id: "a" is already in line 2'),
        (b"item,output,text\na,,x\n", "line 2: outputs.0.id: is missing"),
    ],
)
def test_an_invalid_table_is_refused_by_line_and_column(load, items, says):
    assert says in refusal(load, items=items)


def test_a_cell_of_200_kb_is_read_and_one_over_the_limit_is_refused(load):
    assert "is longer than 1000000 bytes" in refusal(load, items=b"item,output,text\na,n," + b"x" * 1_000_001)
    rows = b"".join(b"x" * 90_000 + b"\n" for _ in range(12))
    assert "a row is longer than 1000000 bytes" in refusal(load, items=b'item,output,text\na,n,"' + rows + b'"\n')
    load(items=b"item,output,text\na,n," + b"x" * 200_000 + b"\n")
    assert len(Output.objects.get().text) == 200_000


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x", "'=1", "''=1"]
)
def test_a_formula_is_kept_from_running_and_read_back(text):
    assert neutralise(text) == "'" + text
    assert restore(neutralise(text)) == text


@pytest.mark.parametrize("text", ["", "x", "1=1", "'x", "'", "''", " x=1"])
def test_text_that_is_no_formula_is_left_alone(text):
    assert neutralise(text) == text == restore(text)
