"""What a line says about an item and its outputs beside their texts: sets, pools, right answers, edited outputs."""

import pytest
from django.db import IntegrityError, transaction

from annotation.models import Item, Output
from files.reading import import_study
from tests.files.reading.conftest import ITEM, STUDY, only_problem, problems_of

pytestmark = pytest.mark.django_db

FULL = {
    **ITEM, "source": "Harbour Post", "set": "private", "pool": "training", "feedback": "It is at nine.",
    "gold": {"follows": {"north": True, "south": False}, "how_well": 5, "comment": "So."},
    "outputs": [
        {"id": "both", "text": "At nine or ten.", "edited_from": "south", "writer": "human"},
        {"id": "south", "text": "At ten.", "edited_from": "north", "writer": "model"},
        {"id": "north", "text": "At nine."},
    ],
}  # fmt: skip


def outputs(*edited_from, **more):
    """Outputs a, b, c, ... each edited from the given one, if any."""
    rows = [{"id": key, "text": key, "edited_from": source} for key, source in zip("abcdef", edited_from, strict=False)]
    return {**ITEM, "outputs": rows, **more}


def test_everything_that_a_line_says_is_kept(folder):
    import_study(folder(items=[FULL, {**ITEM, "id": "quay"}]))
    full, plain = Item.objects.order_by("pk")
    assert (full.source, full.set, full.pool, full.feedback) == (
        "Harbour Post", "private", "training", "It is at nine.",
    )  # fmt: skip
    assert full.gold == FULL["gold"]
    assert (plain.source, plain.set, plain.pool, plain.gold, plain.feedback) == ("", "", "main", None, "")
    assert list(full.outputs.values_list("key", "edited_from", "writer")) == [
        ("both", "south", "human"), ("south", "north", "model"), ("north", "", ""),
    ]  # fmt: skip
    assert not any(import_study(folder(items=[FULL, {**ITEM, "id": "quay", "pool": "main"}])).added.values())


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"set": "secret"}, "set", 'must be one of public, private, not "secret"'),
        ({"set": ["public"]}, "set", "must be one of"),
        ({"pool": "Main"}, "pool", "must be one of main, attention, training, qualification"),
        ({"source": 4}, "source", "must be text"),
        ({"feedback": "So."}, "feedback", "is about gold, which the item does not have"),
        ({"gold": {"follows": True}, "feedback": 4}, "feedback", "must be text"),
        ({"gold": True}, "gold", "must be an object"),
        ({"gold": {}}, "gold", "must give a value for at least one question"),
        ({"gold": {"colour": 1}}, "gold.colour", "is not a question of the study"),
        ({"gold": {"follows": "true"}}, "gold.follows", "must be true or false"),
        ({"gold": {"how_well": 6}}, "gold.how_well", "must be a whole number from 1 to 5"),
        ({"gold": {"how_well": None}}, "gold.how_well", "must be a whole number from 1 to 5"),
        ({"gold": {"follows": {"east": True}}}, "gold.follows", "must name outputs of this item"),
        ({"gold": {"follows": {}}}, "gold.follows", "must name outputs of this item"),
        ({"gold": {"follows": {"north": 1}}}, "gold.follows", "must be true or false"),
        ({"outputs": [{"id": "a", "text": "", "writer": "crowd"}]}, "outputs.0.writer", "must be one of human, model"),
    ],
)
def test_a_line_that_says_anything_else_is_refused(folder, change, field, reason):
    line, found, why = only_problem(folder(items=[{**ITEM, "id": "first"}, {**ITEM, **change}]))
    assert (line, found) == (2, field)
    assert reason in why


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        (outputs(None, "z"), 1, '"z" is not an output of this item'),
        (outputs("a"), 0, "names the output itself"),
        (outputs("b", "a"), 0, "leads back to the output"),
        (outputs(None, "c", "d", "b"), 1, "leads back to the output"),
        (outputs("b", "c", "d", "b"), 1, "leads back to the output"),
        (outputs(4), 0, "must be text"),
        (outputs(""), 0, "must have 1 to 200 characters"),
    ],
)
def test_an_output_edited_from_nothing_or_from_itself_is_refused(folder, line, place, reason):
    number, field, why = only_problem(folder(items=[{**ITEM, "id": "first"}, line]))
    assert (number, reason in why) == (2, True), why
    assert field.startswith(f"outputs.{place}.edited_from")


def test_long_chains_and_several_edits_of_one_output_are_allowed(folder):
    import_study(folder(items=[outputs("b", "c", None, "c", "a")]))
    assert dict(Output.objects.values_list("key", "edited_from")) == {"a": "b", "b": "c", "c": "", "d": "c", "e": "a"}


def test_an_output_that_comes_later_may_be_edited_from_one_that_exists(folder):
    import_study(folder())
    edited = {"id": "hybrid", "text": "At nine!", "edited_from": "north", "writer": "human"}
    assert problems_of(folder(items=[{**ITEM, "outputs": [{**edited, "edited_from": "east"}]}])) == [
        (1, "outputs.0.edited_from", '"east" is not an output of this item')
    ]
    import_study(folder(items=[{**ITEM, "outputs": [edited]}]))
    assert Output.objects.get(key="hybrid").edited_from == "north"
    [(_, field, reason)] = problems_of(folder(items=[{**ITEM, "outputs": [{**edited, "writer": "model"}]}]))
    assert (field, reason) == ("outputs", '"hybrid" of item "harbour" already exists with different content')


def test_what_an_existing_item_says_never_changes(folder):
    import_study(folder())
    for change in ({"source": "x"}, {"set": "public"}, {"pool": "attention"}, {"gold": {"follows": True}}):
        [(line, _, reason)] = problems_of(folder(items=[{**ITEM, **change}]))
        assert (line, "with different content" in reason) == (1, True), change


RANKED = """
slug: ferries
protocol: listwise
redundancy: 1
questions:
  - {key: overall, type: rank, ranks: 2, allow_ties: false}
  - {key: clear, type: likert, min: 1, max: 3, per: output}
  - {key: errors, type: spans, labels: [time]}
"""
MARKS = {"spans": [{"output": "south", "start": 0, "end": 7, "text": "At ten.", "label": "time"}], "none": ["north"]}


def test_right_answers_that_compare_or_mark_outputs_are_checked_against_them(folder):
    gold = {"overall": {"north": 1, "south": 2}, "clear": {"north": 3}, "errors": MARKS}
    import_study(folder(RANKED, items=[{**ITEM, "gold": gold}]))
    assert Item.objects.get().gold == gold
    for wrong, key in (
        ({"overall": {"north": 1, "east": 2}}, "overall"), ({"overall": {"north": 1, "south": 1}}, "overall"),
        ({"errors": {**MARKS, "spans": [{**MARKS["spans"][0], "text": "At nine"}]}}, "errors"),
        ({"clear": {"south": 4}}, "clear"),
    ):  # fmt: skip
        [(line, field, _)] = problems_of(folder(RANKED, items=[{**ITEM, "id": "other", "gold": wrong}]))
        assert (line, field) == (1, f"gold.{key}")
    paired = RANKED.split("questions:")[0].replace("listwise", "pairwise").replace("ferries", "pairs")
    paired += "questions: [{key: better, type: preference}]\n"
    import_study(folder(paired, items=[{**ITEM, "gold": {"better": "north"}}]))
    [(_, field, _)] = problems_of(folder(paired, items=[{**ITEM, "id": "other", "gold": {"better": "x"}}]))
    assert field == "gold.better"


def test_questions_of_sessions_have_a_set_and_a_pool_but_no_right_answers(folder):
    study = (
        STUDY.split("questions:")[0].replace("rating", "session").replace("redundancy: 2", "redundancy: 1")
        + """
questions:
  - {key: rating, type: category, choices: [good, neutral, bad]}
  - {key: comment, type: text}
options: {models: [extractive/extractive]}
"""
    )
    paper = {"id": "p", "title": "On ferries", "paragraphs": ["They sail at nine."]}
    line = {"id": "q", "question": "When?", "documents": [paper], "set": "public", "pool": "training"}
    for key, value in (("gold", {"rating": "good"}), ("feedback", "x"), ("source", "x")):
        assert problems_of(folder(study, items=[{**line, key: value}])) == [(1, f'"{key}"', "unknown key")]
    import_study(folder(study, items=[line]))
    assert Item.objects.values_list("set", "pool").get() == ("public", "training")


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (Item, {"set": "secret"}), (Item, {"pool": ""}), (Item, {"feedback": "x"}),
        (Output, {"writer": "crowd"}), (Output, {"edited_from": "new"}),
    ],
)  # fmt: skip
def test_the_database_refuses_what_no_file_may_say(make_study, model, change):
    study = make_study()
    place = {"study": study} if model is Item else {"item": study.items.first(), "position": 9}
    given = {**place, "key": "new"}
    with pytest.raises(IntegrityError), transaction.atomic():
        model.objects.create(**given, **change)
    model.objects.create(**given)
