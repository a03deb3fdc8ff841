"""Single items: added by a form, changed and removed while a study is a draft, and refused as lines of files are."""

import json

import pytest
from django.db import connection
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Output, Slot, Study
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.planning import is_planned
from files.writing.study_lines import item_lines
from managing.uploads.item_forms import SaidField, initial_of
from tests.conftest import draft_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    study = draft_study()
    add_member(study, owner, "owner", None)
    return study


@pytest.fixture
def browser(client, owner):
    client.force_login(owner)
    return client


def outputs(*given, initial=0):
    fields = {"outputs-TOTAL_FORMS": str(len(given)), "outputs-INITIAL_FORMS": str(initial)}
    for number, one in enumerate(given):
        fields |= {f"outputs-{number}-{name}": value for name, value in one.items()}
    return fields


TWO = outputs({"id": "north", "text": "At nine.\r\n"}, {"id": "south", "text": "At ten.", "writer": "human"}, {})
WITHOUT = {"id": "ferry", "document": "It sails.", "instruction": "When?", "pool": "main"}
NEW = {**WITHOUT, **TWO}


def add(browser, **fields):
    given = {**NEW, **fields} if "outputs-TOTAL_FORMS" not in fields else {**WITHOUT, **fields}
    return browser.post(reverse("managing:new_item", args=["study"]), given)


def edit(browser, item, **fields):
    return browser.post(reverse("managing:edit_item", args=["study", item.pk]), {**NEW, **fields})


def test_an_item_is_added_by_a_form(browser, study):
    more = '{"metadata": {"a": 1}}'
    answer = add(browser, category="travel, winter", reference="At nine.", source="Timetable", more=more)
    assert answer.status_code == 302
    item = Item.objects.get(key="ferry")
    assert (item.document, item.instruction, item.source) == ("It sails.", "When?", "Timetable")
    assert (item.categories, item.metadata) == (["travel", "winter"], {"a": 1})
    assert item.references == [{"id": "reference", "text": "At nine.", "writer": "human"}]
    assert list(item.outputs.values_list("key", "text", "writer")) == [
        ("north", "At nine.\n", ""), ("south", "At ten.", "human"),
    ]  # fmt: skip
    assert AuditEntry.objects.get(action="study imported").new["via"] == "page"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"id": ""}, "This field is required"),
        (outputs({}), "must be a list of at least one output"),
        (outputs({"id": "a", "text": "x"}, {"id": "a", "text": "y"}), "appears twice in this item"),
        (outputs({"id": "a", "text": "x", "edited_from": "b"}), "is not an output of this item"),
        (outputs({"text": "x"}), "This field is required"),
        ({"more": "[1]"}, "Enter a JSON object"),
        ({"more": "{"}, "is not JSON"),
        ({"more": '{"docment": 1}'}, "did you mean"),
        ({"pool": "elsewhere"}, "Select a valid choice"),
    ],
)
def test_what_does_not_fit_is_said_at_its_field_and_nothing_typed_is_lost(browser, study, fields, says):
    answer = add(browser, **fields)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert says in text
    assert "It sails." in text
    assert not Item.objects.filter(key="ferry").exists()


def test_an_id_is_given_once(browser, study):
    add(browser)
    answer = add(browser, document="Other.")
    assert answer.status_code == 422
    assert "is the id of another item" in answer.content.decode()


def test_more_rows_for_outputs_keep_what_was_typed(browser, study):
    answer = add(browser, more_outputs="1")
    assert answer.status_code == 200
    assert 'name="outputs-5-id"' in answer.content.decode()
    assert "At nine." in answer.content.decode()


def test_an_item_of_a_draft_is_changed_and_keeps_its_key_and_place(browser, study):
    assert prepare(study, 10)
    item = study.items.first()
    before = Slot.objects.count()
    answer = edit(browser, item, id="another")
    assert answer.status_code == 302
    changed = Item.objects.get(pk=item.pk)
    assert (changed.key, changed.document, changed.source) == (item.key, "It sails.", "")
    assert list(changed.outputs.values_list("key", flat=True)) == ["north", "south"]
    study.refresh_from_db()
    assert not is_planned(study)
    assert prepare(study, 10)
    assert Slot.objects.count() == before - study.redundancy  # it had three outputs
    entry = AuditEntry.objects.get(action="item changed")
    assert (entry.subject, entry.study) == (item.key, "study")
    connection.check_constraints()


def test_a_changed_item_equals_the_same_item_from_a_file(browser, study):
    add(browser)
    edit(browser, study.items.first())
    digests = Item.objects.filter(document="It sails.").values_list("digest", flat=True)
    assert len(digests) == 2
    assert len(set(digests)) == 1
    assert Output.objects.filter(item__document="It sails.").values("digest").distinct().count() == 2


def test_what_the_form_shows_of_an_item_changes_nothing_when_it_is_saved(browser, study):
    more = {"metadata": {"a": [1.5, "ä"]}, "references": [{"id": "r", "text": "x", "writer": "model"}]}
    add(browser, more=json.dumps(more), category="one", **outputs(
        {"id": "a", "text": "x"}, {"id": "b", "text": "", "edited_from": "a", "metadata": '{"k": 2}', "writer": "human"}
    ))  # fmt: skip
    item = Item.objects.get(key="ferry")
    page = browser.get(reverse("managing:edit_item", args=["study", item.pk]))
    form, rows = page.context["form"], page.context["outputs"]
    fields = {field.html_name: field.value() or "" for field in [*form, *(field for row in rows for field in row)]}
    fields |= {field.html_name: str(field.value()) for field in rows.management_form}
    before = (item.digest, list(item.outputs.values_list("digest", flat=True)))
    assert edit(browser, item, **{**dict.fromkeys(NEW, ""), **fields}).status_code == 302
    item.refresh_from_db()
    assert (item.digest, list(item.outputs.values_list("digest", flat=True))) == before


def test_an_item_of_a_draft_is_removed(browser, study):
    prepare(study, 10)
    item = study.items.first()
    assert browser.post(reverse("managing:remove_item", args=["study", item.pk])).status_code == 302
    assert study.items.count() == 1
    assert AuditEntry.objects.get(action="item removed").subject == item.key
    connection.check_constraints()


def test_an_item_that_somebody_has_seen_stays(browser, study, rater):
    prepare(study, 10)
    make_live(study, None)
    item = study.items.first()
    add_member(study, rater, "annotator", None)
    next_assignment(study, rater_for(study, rater))
    for state in ("live", "draft"):
        Study.objects.update(status=state)
        seen = study.items.get(tasks__assignments__isnull=False) if state == "draft" else item
        edit(browser, seen)
        browser.post(reverse("managing:remove_item", args=["study", seen.pk]))
        assert Item.objects.get(pk=seen.pk).document == seen.document
    assert not AuditEntry.objects.filter(action__in=["item changed", "item removed"]).exists()


def test_items_of_other_studies_are_not_there(browser, study, stranger):
    item = study.items.first()
    browser.force_login(stranger)
    assert edit(browser, item).status_code == 404
    assert browser.post(reverse("managing:remove_item", args=["study", item.pk])).status_code == 404
    assert add(browser).status_code == 404


def test_a_conversation_is_entered_as_turns_and_stays_one(browser, study):
    turns = [{"role": "user", "text": "When does it sail?"}, {"role": "assistant", "text": "At nine."}]
    assert add(browser, document=json.dumps(turns)).status_code == 302
    item = Item.objects.get(key="ferry")
    assert item.document == "User:\nWhen does it sail?\n\nAssistant:\nAt nine."
    (line,) = item_lines(study, "ferry")
    assert line["document"] == turns
    fields, _ = initial_of(line)
    assert SaidField().prepare_value(fields["document"]) == json.dumps(turns, indent=2)
    again = [{**turns[0], "text": "And back?"}]
    assert edit(browser, item, document=json.dumps(again)).status_code == 302
    item.refresh_from_db()
    assert (item.document, item.document_turns) == ("User:\nAnd back?", [["user", 6, 15]])
