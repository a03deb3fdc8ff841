"""Final answers and withdrawn items are exported and imported again unchanged."""

import json

import pytest

from annotation.models import Adjudication, Item, Question, Reviewer, SpanReview, SpotCheck, Study
from annotation.pools import main_items
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.studies.planning import plan_chunk
from annotation.studies.steered_items import withdraw
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from managing.models import ItemSummary
from tests.files.writing.conftest import bytes_of, empty_the_database, item, objects_of, write_study

EMPTY_FIRST = (ItemSummary, Adjudication, SpanReview, SpotCheck, Reviewer)


@pytest.fixture
def decided(study, owner):
    """The study with a changed final answer, a withdrawn one, a text, and a withdrawn item."""
    first, second = study.items.order_by("pk")
    how_well, comment = Question.objects.get(key="how_well"), Question.objects.get(key="comment")
    north = Unit("system-north")
    adjudicate(first, how_well, north, 4, "Three of four said so.", owner, number=0)
    adjudicate(first, how_well, north, 5, "\u201eNein\u201c", owner, number=1)
    adjudicate(second, how_well, north, 1, "It does not.", owner, number=0)
    adjudicate(second, how_well, north, None, "A mistake.", owner, number=1)
    adjudicate(second, comment, Unit("system-north"), "As it is.", "So.", owner, number=0)
    withdraw(second, "It is a duplicate.", owner)
    return study


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_they_come_back_with_the_same_bytes(decided, tmp_path, form):
    export_study(decided, tmp_path / "one", form)
    empty_the_database(*EMPTY_FIRST)
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two", form)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert Adjudication.objects.filter(is_current=True).count() == 3
    assert main_items(again).count() == 1


def test_a_second_import_changes_nothing_and_a_contradiction_is_refused(decided, tmp_path):
    export_study(decided, tmp_path / "one")
    empty_the_database(*EMPTY_FIRST)
    assert import_study(tmp_path / "one").added["adjudications"] == 5
    assert import_study(tmp_path / "one").added["adjudications"] == 0
    path = tmp_path / "one" / "adjudications.jsonl"
    lines = objects_of(path)
    lines[0]["value"] = 2
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ImportRefusedError, match="exists and is different"):
        import_study(tmp_path / "one")


def test_lines_are_in_the_order_of_items_units_and_numbers(decided, tmp_path):
    export_study(decided, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "adjudications.jsonl")
    assert [(line["item"], line.get("output"), line["number"], line.get("value")) for line in lines] == [
        ("item-0", "system-north", 1, 4), ("item-0", "system-north", 2, 5), ("item-1", "system-north", 1, 1),
        ("item-1", "system-north", 2, None), ("item-1", "system-north", 1, "As it is."),
    ]  # fmt: skip
    assert objects_of(tmp_path / "one" / "items.jsonl")[1]["withdrawn"]["reason"] == "It is a duplicate."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"item": "nowhere"}, "is not an item of this study"),
        ({"output": "nobody"}, "is not an output of this item"),
        ({"question": "why"}, "must be a question of this study"),
        ({"value": 9}, "value"),
        ({"reason": ""}, "reason: is missing"),
        ({"number": None}, "number: is missing"),
        ({"reviewer": None}, "reviewer"),
        ({"outputs": ["a", "b"]}, "must be left out"),
        ({"output": None, "outputs": ["north", "south"]}, "asked about each output"),
        ({"output": None}, "asked about each output"),
        ({"verdict": "ok"}, "unknown key"),
        ({"variant": "turn:x:1"}, "adjudications.jsonl, line 1: variant: nobody has answered this question about"),
    ],
)
def test_a_wrong_line_is_refused_by_field(tmp_path, db, change, said):
    folder = write_study(tmp_path / "in", [item()])
    line = {
        "item": "harbour", "output": "north", "question": "how_well", "number": 1, "value": 3, "reason": "So.",
        "reviewer": "reviewer-x", "at": "2026-03-01T12:00:00Z",
    }  # fmt: skip
    (folder / "adjudications.jsonl").write_text(json.dumps(line | change) + "\n")
    with pytest.raises(ImportRefusedError, match=said):
        import_study(folder)
    assert not Study.objects.exists()


def test_a_pair_has_one_final_answer_whatever_order_the_file_names_it_in(tmp_path, db):
    questions = [{"key": "better", "type": "preference"}]
    folder = write_study(
        tmp_path / "in",
        [item(outputs=("north", "south"))],
        protocol="pairwise",
        questions=questions,
        options={"pairs": "all"},
    )
    line = {"item": "harbour", "question": "better", "value": "north", "reason": "So.", "reviewer": "reviewer-x",
            "at": "2026-03-01T12:00:00Z"}  # fmt: skip
    pairs = (["south", "north"], ["north", "south"])
    lines = [{**line, "outputs": pair, "number": number} for number, pair in enumerate(pairs, 1)]
    (folder / "adjudications.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    import_study(folder)
    current = Adjudication.objects.get(is_current=True)
    assert (current.number, current.output.key, current.other_output.key) == (2, "north", "south")
    assert Adjudication.objects.values("unit").distinct().count() == 1
    lines = [{**line, "output": "north", "number": 1}]
    (folder / "adjudications.jsonl").write_text(json.dumps(lines[0]) + "\n")
    with pytest.raises(ImportRefusedError, match="asked about pairs"):
        import_study(folder)


@pytest.mark.parametrize("withdrawn", [{"at": "2026-03-01T12:00:00Z"}, {"reason": "So."}, "yes", {"by": "me"}])
def test_a_withdrawal_needs_its_time_and_its_reason(tmp_path, db, withdrawn):
    with pytest.raises(ImportRefusedError, match="withdrawn"):
        import_study(write_study(tmp_path / "in", [item(withdrawn=withdrawn)]))


def test_an_imported_withdrawn_item_is_never_given_out_and_one_that_exists_stays_as_it_is(tmp_path, db):
    gone = {"at": "2026-03-01T12:00:00Z", "reason": "It is a duplicate."}
    folder = write_study(tmp_path / "in", [item("one"), item("two", withdrawn=gone)])
    study = import_study(folder).study
    while plan_chunk(study):
        pass
    assert set(study.slots.filter(place__gte=0).values_list("item__key", flat=True)) == {"one"}
    import_study(write_study(tmp_path / "in", [item("one", withdrawn=gone), item("two")]))
    assert list(Item.objects.exclude(withdrawn_at=None).values_list("key", flat=True)) == ["two"]
