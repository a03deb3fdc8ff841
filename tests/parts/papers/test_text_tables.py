"""Tables about texts and annotators: lengths by source, lengths by system, answers by annotator."""

import pytest

from files.reading import import_study
from parts.papers.paper_table import tables_of
from reports.figures.study_answers import RaterComparison, StudyAnswers
from tests.files.writing.conftest import item, write_study

pytestmark = pytest.mark.django_db


def tables(study, **chosen):
    return tables_of(StudyAnswers(study, RaterComparison(**chosen), replicates=20))


def texts(key, document, source, instruction, **outputs):
    listed = [{"id": name, "text": text} for name, text in outputs.items()]
    return {"id": key, "document": document, "source": source, "instruction": instruction, "outputs": listed}


ITEMS = [
    texts("one", "Two words.", "news", "Say it.", a="One. Two three.", b="four five"),
    texts("two", "Two words.", "news", "Say it again.", a="six"),
    texts("three", "Here are four words.", "news", "Say.", a="seven eight"),
    texts("four", "Five words are in this.", "mail", "Say.", a="nine"),
]


@pytest.fixture
def study(tmp_path):
    """A function that imports the items, with ratings."""

    def make(ratings=(), items=ITEMS, **more):
        return import_study(write_study(tmp_path / "in", items, ratings, **more)).study

    return make


def values(row):
    return {key: cell["value"] for key, cell in row["cells"].items()}


def test_documents_of_a_source_count_once(study):
    table = tables(study())["risum_1"]
    assert [row["name"] for row in table["rows"]] == ["mail", "news", "All documents"]
    mail, news, everything = map(values, table["rows"])
    assert news == {"texts": 2, "min": 2, "median": 3, "max": 4, "mean": 3}
    assert mail == {"texts": 1, "min": 5, "median": 5, "max": 5, "mean": 5}
    assert (everything["texts"], everything["median"]) == (3, 4)
    assert table["rows"][1]["cells"]["mean"]["se"] == pytest.approx(1)  # of 2 and 4: sqrt(2) / sqrt(2)


def test_characters_count_in_scripts_without_spaces(study):
    items = [texts("one", "\u4e16\u754c hello", "news", "\u00e9 a", a="b")]
    table = tables(study(items=items))["instrusum_2"]
    assert [values(row)["words_mean"] for row in table["rows"]] == [3, 2, 1]


def test_no_source_no_table(study):
    assert "risum_1" not in tables(study(items=[item()]))


def test_lengths_of_all_texts(study):
    table = tables(study())["instrusum_2"]
    assert [(row["part"], row["name"]) for row in table["rows"]] == [
        ("Items", "Documents"), ("Items", "Instructions"), ("Outputs by system", "a"), ("Outputs by system", "b"),
    ]  # fmt: skip
    documents, instructions, first, second = map(values, table["rows"])
    assert (documents["texts"], documents["words_mean"], documents["sentences_mean"]) == (3, pytest.approx(11 / 3), 1)
    assert (instructions["texts"], instructions["words_mean"]) == (4, 1.75)
    assert (first["texts"], first["words_max"]) == (4, 3)
    assert (first["sentences_max"], first["sentences_mean"]) == (2, 1.25)
    assert (second["texts"], second["words_mean"]) == (1, 2)


def test_answers_are_counted_by_annotator(study):
    given = [("one", "a", "ann", True), ("two", "a", "ann", False), ("three", "a", "ann", True), ("one", "a", "bob", 1)]
    ratings = [
        {"item": name, "output": output, "rater": rater, "question": "follows", "value": bool(value)}
        for name, output, rater, value in given
    ]
    ratings += [{"item": "one", "output": "a", "rater": "bob", "question": "how_well", "value": 4}]
    ratings += [{"item": "one", "output": "a", "rater": "ann", "question": "comment", "value": "Fine."}]
    table = tables(study(ratings))["risum_figure_4"]
    rows = {(row["part"], row["name"]): values(row) for row in table["rows"]}
    assert list(rows) == [("follows", "ann"), ("follows", "bob"), ("how_well", "bob"), ("comment", "ann")]
    ann, bob = rows["follows", "ann"], rows["follows", "bob"]
    assert (ann["answers"], ann["share_of_all"]) == (3, 0.75)
    assert (ann["answer_yes"], ann["answer_no"], ann["answer_4"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3), "")
    assert (bob["answers"], bob["answer_yes"]) == (1, 1)
    assert (rows["how_well", "bob"]["answer_4"], rows["how_well", "bob"]["answer_5"]) == (1, 0)
    assert rows["comment", "ann"]["answer_yes"] == ""
    assert table["drawing"] == {"kind": "bars", "columns": ["answers"], "axis": "Answers", "low": 0, "high": 10}
