"""The page of an item: everybody's answers side by side, the steps from there, and final answers."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Adjudication, Item, Question, Rater, Rating, Slot
from files.reading import import_study
from tests.conftest import add_item, make_person
from tests.files.writing.conftest import item as item_line
from tests.files.writing.conftest import write_study

pytestmark = pytest.mark.quick
MOST_QUERIES = 15
RANK = {"key": "overall", "type": "rank", "ranks": 2}


@pytest.fixture
def answered(study, rater):
    """The first item, which the rater, many imported raters and a machine have answered."""
    task = next_assignment(study, rater_for(study, rater))
    submit(task, Submission(
        {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}, revision=0, guidelines_version=1,
    ))  # fmt: skip
    item = task.task.item
    how_well = Question.objects.get(study=study, key="how_well")
    for number in range(30):
        kind = "model" if number == 0 else "human"
        one = Rater.objects.create(study=study, name=f"imported-{number:02}", kind=kind)
        Rating.objects.create(
            study=study, question=how_well, rater=one, item=item, output=item.outputs.first(), level="interval",
            number=number % 5 + 1, value=number % 5 + 1, run="r" if number == 0 else "", seconds=12.4,
            explanation="It is <late>." if number == 1 else None,
        )  # fmt: skip
    return item


@pytest.fixture
def page(client, owner):
    client.force_login(owner)

    def get(item, name="item"):
        return reverse(f"managing:{name}", args=[item.study.slug, item.pk])

    return get


def section(response, key):
    return next(one for one in response.context["sections"] if one.question.key == key)


def test_all_answers_are_side_by_side_with_machines_beside_them(client, page, answered):
    response = client.get(page(answered))
    assert response.status_code == 200
    how_well = section(response, "how_well")
    assert len(how_well.people) == 30
    assert [row.rater.name for row in how_well.machines] == ["imported-00"]
    assert {len(row.cells) for row in how_well.people} == {len(how_well.columns)}
    text = response.content.decode()
    assert "It is &lt;late&gt;." in text
    assert "It says when." in text


def test_the_page_takes_as_many_queries_for_many_raters_as_for_one(client, page, answered):
    for item in answered.study.items.all():
        with CaptureQueriesContext(connection) as queries:
            client.get(page(item))
        assert len(queries) <= MOST_QUERIES, "\n".join(one["sql"][:150] for one in queries)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("withdraw_item", {"reason": "It is a duplicate."}, "The item is withdrawn."),
        ("withdraw_item", {"reason": " "}, "Give a reason."),
        ("restore_item", {"reason": "Why not."}, "This item is not withdrawn."),
        ("add_rater", {"reason": "They disagree."}, "One more rater will be asked."),
        ("cancel_open", {"reason": "Enough."}, "open places cancelled."),
        ("set_priority", {"reason": "Soon.", "priority": 0}, "The priority is changed."),
        ("set_priority", {"reason": "Soon.", "priority": 7}, "is not one of the available choices"),
        ("set_priority", {"reason": "Soon.", "priority": 1}, "has this priority already"),
        ("free_slot", {}, "Choose a place."),
        ("reserve_slot", {"slot": 1, "days": 99, "member": 1}, "less than or equal to 30"),
    ],
)
def test_a_step_says_what_it_did_or_why_not(client, page, answered, name, fields, said):
    response = client.post(page(answered, name), fields, follow=True)
    assert response.redirect_chain[0][0] == page(answered)
    assert said in response.content.decode()


def test_the_page_of_an_item_whose_places_are_cancelled_offers_to_ask_again(client, page, study):
    item = study.items.first()
    client.post(page(item, "cancel_open"), {"reason": "Enough."})
    assert page(item, "add_rater") in client.get(page(item)).content.decode()
    client.post(page(item, "add_rater"), {"reason": "Not enough."})
    assert Slot.objects.filter(item=item).count() == item.tasks.count()


def test_a_place_is_freed_and_given_to_a_person(client, page, study, rater):
    task = next_assignment(study, rater_for(study, rater))
    slot = Slot.objects.get(task=task.task, state="held")
    other = add_member(study, make_person("other"), "annotator", None)
    assert (
        "open to others"
        in client.post(page(task.task.item, "free_slot"), {"slot": slot.pk}, follow=True).content.decode()
    )
    given = {"slot": slot.pk, "member": other.pk, "days": 3}
    assert (
        "gets this task next" in client.post(page(task.task.item, "reserve_slot"), given, follow=True).content.decode()
    )
    slot.refresh_from_db()
    assert slot.holder.person == other.person


def test_places_and_people_of_other_studies_cannot_be_named(client, page, study, make_study, stranger):
    item, other = study.items.first(), make_study("other")
    foreign = add_item(other, "foreign")
    strange = add_member(other, stranger, "annotator", None)
    slot = Slot.objects.filter(item=item).first()
    assert client.get(reverse("managing:item", args=[study.slug, foreign.pk])).status_code == 404
    given = {"slot": slot.pk, "member": strange.pk, "days": 3}
    assert client.post(page(item, "reserve_slot"), given).status_code == 404
    elsewhere = Slot.objects.exclude(item=item).first()
    assert client.post(page(item, "free_slot"), {"slot": elsewhere.pk}).status_code == 404


def unit_of(item, key="how_well", **more):
    return {"question": key, "output": item.outputs.first().key, **more}


def test_a_final_answer_is_kept_beside_the_ratings_with_its_reason(client, page, answered):
    shown = client.get(page(answered, "adjudicate"), unit_of(answered))
    assert shown.status_code == 200
    given = {**unit_of(answered), "q-how_well": "5", "reason": "It names the hour.", "number": 0}
    response = client.post(page(answered, "adjudicate"), given, follow=True)
    assert "The final answer is saved." in response.content.decode()
    final = section(response, "how_well").columns[0]
    assert (final.final.value, final.final.reason) == (5, "It names the hour.")
    assert Rating.objects.filter(item=answered, is_current=True).count() == 33


def test_a_changed_final_answer_is_a_new_row_and_a_withdrawn_one_too(client, page, answered):
    address = page(answered, "adjudicate")
    for number, more in enumerate(({"q-how_well": "5"}, {"q-how_well": "4"}, {"step": "withdraw"})):
        response = client.post(address, {**unit_of(answered), **more, "reason": "So.", "number": number})
        assert response.status_code == 302
    rows = Adjudication.objects.order_by("number").values_list("number", "value", "is_current")
    assert list(rows) == [(1, 5, False), (2, 4, False), (3, None, True)]
    assert section(client.get(page(answered)), "how_well").columns[0].final is None


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        ({"q-how_well": "9", "reason": "So."}, 422, "This answer"),
        ({"reason": "So."}, 422, "is missing"),
        ({"q-how_well": "4", "reason": ""}, 422, "Give a reason."),
        ({"q-how_well": "4", "reason": "So.", "number": 7}, 409, "Somebody else has given a final answer."),
        ({"question": "none"}, 404, ""),
        ({"output": "none"}, 404, ""),
        ({"variant": "turn:x:1"}, 404, ""),
        ({"q-how_well": "4", "reason": "So.", "other": "system-south"}, 404, ""),
        ({"q-how_well": "4", "reason": "So.", "output": ""}, 404, ""),
    ],
)
def test_a_final_answer_that_cannot_be_saved_says_why(client, page, answered, more, status, said):
    response = client.post(page(answered, "adjudicate"), {**unit_of(answered), "number": 0, **more})
    assert response.status_code == status
    assert said in response.content.decode()
    assert not Adjudication.objects.exists()


def imported(folder, protocol, questions, outputs=("north", "south"), ratings=(), **options):
    lines = [item_line("one", outputs=outputs)]
    study = import_study(
        write_study(
            folder, lines, ratings=ratings, slug=protocol, protocol=protocol, questions=questions, options=options
        )
    ).study
    return study, study.items.get()


def test_rankings_have_a_column_per_output_and_a_final_ranking(client, owner, page, tmp_path):
    ratings = [
        {"item": "one", "rater": name, "question": "overall", "value": {"north": one, "south": 3 - one}}
        for name, one in (("ann", 1), ("bob", 2))
    ]
    about = {"item": "one", "rater": "words", "rater_kind": "metric", "question": "overall"}
    ratings += [{**about, "output": key, "value": value} for key, value in (("north", 0.5), ("south", 7.5))]
    study, item = imported(tmp_path, "listwise", [RANK], ratings=ratings)
    add_member(study, owner, "owner", None)
    overall = section(client.get(page(item)), "overall")
    assert [column.label for column in overall.columns] == ["north", "south"]
    assert [[cell.words for cell in row.cells] for row in overall.people] == [["1", "2"], ["2", "1"]]
    assert [[cell.words for cell in row.cells] for row in overall.machines] == [["0.5", "7.5"]]
    assert client.get(page(item, "adjudicate"), {"question": "overall"}).status_code == 200
    given = {"question": "overall", "q-overall-A": "2", "q-overall-B": "1", "reason": "So.", "number": 0}
    client.post(page(item, "adjudicate"), given)
    assert Adjudication.objects.get().value == {"north": 2, "south": 1}
    words = [column.final_words for column in section(client.get(page(item)), "overall").columns]
    assert words == ["2", "1"]


def test_a_pair_is_one_column_whatever_order_it_was_shown_in(client, owner, page, tmp_path):
    ratings = [
        {"item": "one", "rater": name, "question": "better", "value": "north", "outputs": pair}
        for name, pair in (("ann", ["north", "south"]), ("bob", ["south", "north"]))
    ]
    study, item = imported(
        tmp_path, "pairwise", [{"key": "better", "type": "preference"}], ratings=ratings, pairs="all"
    )
    add_member(study, owner, "owner", None)
    better = section(client.get(page(item)), "better")
    assert [column.label for column in better.columns] == ["north / south"]
    about = {"question": "better", "output": "north", "other": "south"}
    shown = client.get(page(item, "adjudicate"), about)
    assert [choice["label"] for choice in shown.context["field"]["choices"]] == ["north", "Tie", "south"]
    client.post(page(item, "adjudicate"), {**about, "q-better": "B", "reason": "So.", "number": 0})
    assert Adjudication.objects.get().value == "south"
    turned = {**about, "output": "south", "other": "north", "q-better": "A", "reason": "No.", "number": 1}
    client.post(page(item, "adjudicate"), turned)
    assert Adjudication.objects.get(is_current=True).value == "north"
    assert client.get(page(item, "adjudicate"), {"question": "better", "output": "north"}).status_code == 404


def test_marked_spans_are_listed_and_have_verdicts_instead_of_final_answers(client, owner, page, tmp_path):
    span = {"output": "north", "start": 0, "end": 4, "text": "text", "label": "time", "note": "When?"}
    line = {"item": "one", "rater": "ann", "question": "errors", "value": {"spans": [span], "none": ["south"]}}
    study, item = imported(
        tmp_path, "listwise", [RANK, {"key": "errors", "type": "spans", "labels": ["time"]}], ratings=[line]
    )
    add_member(study, owner, "owner", None)
    errors = section(client.get(page(item)), "errors")
    assert [json.loads(json.dumps(one)) for one in errors.people[0].cells[0].spans] == [span]
    assert not errors.can_adjudicate
    assert client.get(page(item, "adjudicate"), {"question": "errors"}).status_code == 404


def test_an_item_of_a_draft_has_a_page(client, owner, page, make_study):
    study = make_study("draft")
    add_member(study, owner, "owner", None)
    response = client.get(page(Item.objects.filter(study=study).first()))
    assert "This item has no tasks yet." in response.content.decode()
