"""Answers to flags, and places that researchers added or cancelled, come back from files with the same bytes."""

import json

import pytest

from annotation.desk.submitting import flag, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, FlagAnswer, Item, Reviewer, Slot, Study, Task
from annotation.review.flags import acknowledge_answers, answer_flag, answered_flags
from annotation.studies.planning import plan_chunk
from annotation.studies.redundancy import set_redundancy
from annotation.studies.slot_steps import add_rater, cancel_open
from annotation.studies.unplanning import remove_outdated, unplan
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from tests.conftest import make_person
from tests.files.writing.conftest import (
    answer,
    assign,
    bytes_of,
    empty_the_database,
    item,
    objects_of,
    write_study,
)

FORMS = ["jsonl", "csv", "parquet"]


@pytest.fixture
def steered(study, owner, rater, stranger):
    """Flags with answers, read and unread, on answered and unanswered tasks; an item with more places, one with less.

    The second item is done by one rater; its other places are cancelled.
    """
    first, second = study.items.order_by("pk")
    add_member(study, stranger, "annotator", None)
    tasks = list(Task.objects.filter(item=first).order_by("task_outputs__output__position"))
    unanswered, answered = assign(study, rater, tasks[0]), assign(study, stranger, tasks[1])
    flag(unanswered, "=It is odd")
    submit(answered, answer(0, how_well="5"))
    flag(answered, "odd")
    for given, words in ((unanswered, "=It is odd"), (answered, "odd")):
        answer_flag(
            Assignment.objects.get(pk=given.pk), "dismissed", "+It is \u201emeant\u201c so.\r\n", owner, flag=words
        )
    acknowledge_answers(rater, study, list(FlagAnswer.objects.filter(rater__person=rater).values_list("pk", flat=True)))
    flag(answered, "still odd")
    answer_flag(
        Assignment.objects.get(pk=answered.pk), "resolved", "You are right.", make_person("second"), flag="still odd"
    )
    add_rater(first, "Two do not agree.", owner)
    one = Slot.objects.filter(item=second, number=1).order_by("pk").first()
    Slot.objects.filter(pk=one.pk).update(state="filled", holder=rater_for(study, rater))
    cancel_open(second, "It is easy.", owner)
    return study


def numbers_of(study):
    """The numbers of the places of each task, by item and task."""
    found = {}
    for key, task, number in Slot.objects.filter(study=study).values_list("item__key", "task__key", "number"):
        found.setdefault((key, task), set()).add(number)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_they_come_back_with_the_same_bytes_before_and_after_tasks_are_made(steered, tmp_path, form):
    export_study(steered, tmp_path / "one", form)
    before, places = bytes_of(tmp_path / "one"), numbers_of(steered)
    empty_the_database(FlagAnswer, Reviewer)
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two", form)
    assert bytes_of(tmp_path / "two") == before
    assert not Slot.objects.exists()
    while plan_chunk(again):
        pass
    assert numbers_of(again) == places
    again.refresh_from_db()
    export_study(again, tmp_path / "three", form)
    assert bytes_of(tmp_path / "three") == before
    assert sorted(one.outcome for one in answered_flags(again)) == ["dismissed", "resolved"]
    assert import_study(tmp_path / "one").added["reviews"] == 0


def test_lines_say_what_happened_and_name_nobody(steered, tmp_path, owner):
    export_study(steered, tmp_path / "one")
    lines = [one for one in objects_of(tmp_path / "one" / "reviews.jsonl") if one["review"] == "flag"]
    flags = sorted(lines, key=lambda one: (one["number"], one["verdict"], one["flag"]))
    assert [(one["number"], one["verdict"], one["flag"]) for one in flags] == [
        (1, "dismissed", "=It is odd"), (1, "dismissed", "odd"), (2, "resolved", "still odd"),
    ]  # fmt: skip
    assert ["seen_at" in one for one in flags] == [True, False, False]
    assert {one["reviewer"] for one in flags} == set(Reviewer.objects.values_list("name", flat=True))
    first, second = objects_of(tmp_path / "one" / "items.jsonl")
    assert [one["numbers"] for one in first["places"]] == [[0, 1, 2]] * 3
    assert sorted(one["numbers"] for one in second["places"]) == [[], [], [1]]
    text = "".join(path.read_text() for path in (tmp_path / "one").glob("*.jsonl"))
    for name in (owner.username, "second", "stranger"):
        assert f'"{name}"' not in text


def test_places_of_a_blinded_study_name_systems_by_codes(steered, tmp_path):
    steered.options["blind_researchers"] = True
    steered.save()
    export_study(steered, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "items.jsonl")
    for line in lines:
        told = [key for one in line["places"] for key in one["outputs"]]
        assert sorted(told) == told == [one["id"] for one in line["outputs"]]
        assert all(key.startswith("System ") for key in told)
    text = "".join(path.read_text() for path in (tmp_path / "one").glob("*.jsonl"))
    assert "system-north" not in text


def test_a_change_of_redundancy_is_kept_too(steered, owner, tmp_path):
    set_redundancy(steered.items.order_by("pk").first(), 1, "Enough.", owner)
    export_study(steered, tmp_path / "one")
    kept = [one["numbers"] for one in objects_of(tmp_path / "one" / "items.jsonl")[0]["places"]]
    assert sorted(kept) == [[0]] * 3


def test_a_draft_that_is_planned_again_forgets_the_places_of_its_file(tmp_path, db):
    places = [{"outputs": ["north"], "numbers": [0, 4]}]
    draft = import_study(write_study(tmp_path / "in", [item(places=places)])).study
    while plan_chunk(draft):
        pass
    assert list(Slot.objects.order_by("number").values_list("number", flat=True)) == [0, 4]
    draft.refresh_from_db()
    unplan(draft)
    draft.save()
    export_study(draft, tmp_path / "one")
    remove_outdated(draft)
    assert not Item.objects.exclude(places=None).exists()
    while plan_chunk(draft):
        pass
    assert list(Slot.objects.order_by("number").values_list("number", flat=True)) == [0, 1]


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ({}, "places: must be an object|places: must be a list"),
        ([{"outputs": ["nobody"], "numbers": [0]}], "nobody.* is not an output of this item"),
        ([{"outputs": ["north"], "numbers": [0, 0]}], "different whole numbers"),
        ([{"outputs": ["north"], "numbers": [-1]}], "different whole numbers"),
        ([{"outputs": ["north"], "numbers": [True]}], "different whole numbers"),
        ([{"outputs": ["north"]}], "different whole numbers"),
        ([{"numbers": [0]}], r"places\.0\.outputs: is missing"),
        ([{"outputs": ["north"], "numbers": []}] * 2, "names a task twice"),
        ([{"outputs": ["north"], "numbers": [], "state": "open"}], "unknown key"),
    ],
)
def test_wrong_places_are_refused(tmp_path, db, places, said):
    with pytest.raises(ImportRefusedError, match=said):
        import_study(write_study(tmp_path / "in", [item(places=places)]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"flag": None}, "flag: is missing"),
        ({"note": ""}, "note: is missing"),
        ({"verdict": "ok"}, "verdict: must be one of dismissed, resolved"),
        ({"rater": "nobody"}, "does not have the answer with the flag"),
        ({"outputs": None}, "outputs: is missing"),
        ({"note": "Another one."}, "review 1 exists and is different"),
        ({"flag": "Another one."}, "review 1 exists and is different"),
    ],
)
def test_a_wrong_answer_to_a_flag_is_refused(steered, tmp_path, change, said):
    export_study(steered, tmp_path / "one")
    empty_the_database(FlagAnswer, Reviewer)
    import_study(tmp_path / "one")
    path = tmp_path / "one" / "reviews.jsonl"
    lines = objects_of(path)
    lines[0] |= change
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(ImportRefusedError, match=said):
        import_study(tmp_path / "one")
    assert Study.objects.count() == 1
