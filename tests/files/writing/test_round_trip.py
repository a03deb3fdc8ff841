"""An exported study is imported unchanged."""

import csv
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import (
    Guideline,
    Item,
    Output,
    Rating,
    Slot,
)
from config.model_fields import canonical_json
from files.reading import import_study
from files.tables.csv_cells import FORMULA
from files.writing import export_study
from tests.files.writing.conftest import (
    AWKWARD,
    bytes_of,
    empty_the_database,
    item,
    objects_of,
    write_study,
)

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.mark.quick
def test_export_import_export_gives_the_same_bytes(rated, tmp_path):
    export_study(rated, tmp_path / "one")
    statuses = {line["status"] for line in objects_of(tmp_path / "one" / "annotations.jsonl")}
    assert statuses == {"submitted", "skipped", "withdrawn"}
    assert any(line["surplus"] for line in objects_of(tmp_path / "one" / "annotations.jsonl"))
    assert any("flag" in line for line in objects_of(tmp_path / "one" / "annotations.jsonl"))
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert not Slot.objects.exists()


def test_reasons_for_skipping_come_back_as_they_were(tmp_path):
    reasons = {"skip_reasons": ["I know the author", "Zu lang: \u201eü\u201c", "no"]}
    export_study(import_study(write_study(tmp_path / "in", [item()], options=reasons)).study, tmp_path / "one")
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two")
    assert again.options == reasons
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_what_is_said_about_systems_and_judges_comes_back_as_it_was(tmp_path):
    said = {
        "systems": {
            "south": {"model": "campus/large", "generic": True},
            "north": {"baseline": True, "family": "G\u00fclls: #1"},
            "yes": {}, "4": {"family": "no"},
        },
        "judges": {"llm_eval/campus/large \u201c": {"family": "terns"}, "words": {}},
    }  # fmt: skip
    export_study(import_study(write_study(tmp_path / "in", [item()], **said)).study, tmp_path / "one")
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two")
    assert {"systems": again.systems, "judges": again.judges} == said
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


KNOWN = {
    "source": "=Harbour; \u201cPost\u201d", "set": "public", "pool": "attention", "feedback": "-It sails\r\nat nine.",
    "gold": {"follows": {"north": False}, "how_well": 5, "comment": "=So;+"},
}  # fmt: skip


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_what_is_known_about_items_and_outputs_comes_back_as_it_was(tmp_path, form):
    outputs = [
        {"id": "mixed", "text": "x", "edited_from": "=north", "writer": "human", "metadata": {"a": 1}},
        {"id": "=north", "text": "y", "writer": "model"}, {"id": "north", "text": "z"},
    ]  # fmt: skip
    lines = [item(**KNOWN), {**item("quay"), "outputs": outputs}, item("pier", set="private", pool="training")]
    study = import_study(write_study(tmp_path / "in", lines)).study
    export_study(study, tmp_path / "jsonl")
    export_study(study, tmp_path / "one", form)
    assert objects_of(tmp_path / "jsonl" / "items.jsonl") == lines
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two", form)
    export_study(again, tmp_path / "three")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert bytes_of(tmp_path / "jsonl") == bytes_of(tmp_path / "three")


def test_annotations_survive_csv(rated, tmp_path):
    export_study(rated, tmp_path / "one")
    export_study(rated, tmp_path / "table", "csv")
    assert not (tmp_path / "table" / "annotations.jsonl").exists()
    with (tmp_path / "table" / "annotations.csv").open(newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    lines = objects_of(tmp_path / "one" / "annotations.jsonl")
    assert len(cells) == len(lines)
    assert {row["flag"] for row in cells} == {"", "'=The text is cut off"}
    assert [json.loads(row["answers"]) for row in cells] == [line["answers"] for line in lines]
    assert not any(FORMULA.match(cell) and not cell.startswith("'") for row in cells for cell in row.values())
    empty_the_database()
    again = import_study(tmp_path / "table").study
    export_study(again, tmp_path / "two")
    assert (tmp_path / "two/annotations.jsonl").read_bytes() == (tmp_path / "one/annotations.jsonl").read_bytes()
    assert (tmp_path / "two/ratings.jsonl").read_bytes() == (tmp_path / "one/ratings.jsonl").read_bytes()


def test_importing_an_export_where_it_came_from_changes_nothing(tmp_path):
    lines = [{"item": "harbour", "output": "north", "rater": "ann", "question": "comment", "value": "x"}] * 2
    study = import_study(write_study(tmp_path / "in", [item()], lines)).study
    export_study(study, tmp_path / "one")
    assert not any(import_study(tmp_path / "one").added.values())


def test_imported_ratings_of_every_kind_come_back_as_they_were(tmp_path):
    full = {
        "item": "harbour", "output": "north", "rater": "ann", "question": "how_well", "value": 3,
        "explanation": " because ", "shown": ["north"], "seconds": 3.25, "submitted_at": "2026-03-01T12:00:00.000007Z",
        "guidelines_version": 1, "run": "r", "replicate": 2, "distribution": [0.5, {"x": -0.0}],
        "metadata": {"b": 1, "a": 1e22},
    }  # fmt: skip
    bare = {"item": "harbour", "output": "north", "rater": "zoe", "question": "follows", "value": False}
    repeat = {**full, "submitted_at": "2026-03-01T12:00:00.000008Z", "value": 4}
    score = {
        "item": "harbour", "output": "north", "rater": "judge", "rater_kind": "metric", "question": "follows",
        "value": -0.5,
    }  # fmt: skip
    scores = [score, {**score, "value": 0.25}]
    more = {
        "references": [{"id": "r", "text": AWKWARD, "writer": "model"}],
        "category": ["a", "=b"],
        "metadata": {"z": None},
    }
    given = write_study(tmp_path / "in", [item(**more)], [repeat, full, bare, bare], scores, guidelines="One.")
    export_study(import_study(given).study, tmp_path / "out")
    # Within a unit and question by rater, then time, then as they came.
    canonical = [json.loads(canonical_json(line)) for line in objects_of(tmp_path / "out" / "ratings.jsonl")]
    assert canonical == [json.loads(canonical_json(line)) for line in (bare, bare, full, repeat)]
    assert objects_of(tmp_path / "out" / "scores.jsonl") == scores
    assert objects_of(tmp_path / "out" / "items.jsonl") == [item(**more)]
    assert b'"value":-0.5' in (tmp_path / "out" / "scores.jsonl").read_bytes()
    assert b"-0.0" in (tmp_path / "out" / "ratings.jsonl").read_bytes()


TEXTS = st.text(
    st.one_of(
        st.sampled_from(
            list("\u202e\u200b\ufeff\u0301\u200d\x85\x9f\uffff\r\n\t =+-@'\"\\;,#:|>&*\u2028\U0001f469\uff1d")
        ),
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"),
    ),
    max_size=40,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=5, max_size=5), form=st.sampled_from(["jsonl", "csv"]))
def test_any_text_survives_import_and_export_in_every_format(texts, form, tmp_path_factory):
    document, output, comment, guidelines, title = texts
    tmp_path = tmp_path_factory.mktemp("any")
    lines = [{"item": "harbour", "output": "north", "rater": "ann", "question": "comment", "value": comment}]
    body = {**item(document=document), "outputs": [{"id": "north", "text": output}]}
    given = write_study(tmp_path / "in", [body], lines, guidelines=guidelines, title=title)
    empty_the_database()
    export_study(import_study(given).study, tmp_path / "one", form)
    empty_the_database()
    study = import_study(tmp_path / "one").study
    assert study.title == title
    assert Guideline.objects.get().text == guidelines
    assert (Item.objects.get().document, Output.objects.get().text) == (document, output)
    assert Rating.objects.get().value == comment
    export_study(study, tmp_path / "two", form)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_formulas_are_neutralised_in_csv_and_untouched_in_jsonl(tmp_path):
    texts = [
        "=1+1",
        "-3",
        "+x",
        "@x",
        "\tx",
        "\r\nx",
        "\uff1d1",
        "'=1",
        "a;=b",
        'a;"=b',
        "a;'\uff1db",
        "a\n- b\t=c",
        "a;b",
    ]
    lines = [
        {"item": "harbour", "output": "north", "rater": f"=r{n:02}", "question": "comment", "value": text}
        for n, text in enumerate(texts)
    ]
    score = {
        "item": "harbour",
        "output": "north",
        "rater": "m",
        "rater_kind": "metric",
        "question": "how_well",
        "value": -3,
        "metadata": {"a;=b": ["c;-d"]},
    }
    first = item(document="=cmd()\n- two", category=["a;=b", "c"], metadata={"note": "x;@y"})
    study = import_study(write_study(tmp_path / "in", [first], lines, [score])).study
    export_study(study, tmp_path / "csv", "csv")
    export_study(study, tmp_path / "jsonl")
    for path in (tmp_path / "csv").glob("*.csv"):
        for delimiter in ",;\t":
            with path.open(newline="", encoding="utf-8") as file:
                for row in csv.reader(file, delimiter=delimiter):
                    assert not [cell for cell in row if cell[:1] in tuple("=+@\t\r\n\uff1d\uff0b\uff0d\uff20")]
    with (tmp_path / "csv" / "scores.csv").open(newline="") as file:
        assert [row["value"] for row in csv.DictReader(file)] == ["-3"]
    with (tmp_path / "csv" / "ratings.csv").open(newline="", encoding="utf-8") as file:
        assert [row["value"] for row in csv.DictReader(file)] == [
            "'=1+1", "'-3", "'+x", "'@x", "'\tx", "'\r\nx", "'\uff1d1", "''=1", "a;'=b", "a;'\"=b", "a;''\uff1db",
            "a\n'- b\t'=c", "a;b",
        ]  # fmt: skip
    assert [line["value"] for line in objects_of(tmp_path / "jsonl" / "ratings.jsonl")] == texts
    empty_the_database()
    export_study(import_study(tmp_path / "csv").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "jsonl")


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_priorities_set_by_hand_come_back(rated, tmp_path, form):
    first, last = rated.items.order_by("pk")[:2]
    Item.objects.filter(pk=first.pk).update(priority=Item.Priority.FIRST)
    Item.objects.filter(pk=last.pk).update(priority=Item.Priority.LAST)
    export_study(rated, tmp_path / "one", form)
    empty_the_database()
    again = import_study(tmp_path / "one").study
    found = dict(again.items.values_list("key", "priority"))
    assert (found.pop(first.key), found.pop(last.key)) == (Item.Priority.FIRST, Item.Priority.LAST)
    assert set(found.values()) <= {Item.Priority.ORDINARY}
    export_study(again, tmp_path / "two", form)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
