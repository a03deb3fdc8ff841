"""Drafts without answers: made, changed and deleted, by a body as a study file has it."""

import threading

import pytest
from django.db import connections

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import AuditEntry
from annotation.blinding import is_blind, names_of
from annotation.models import Guideline, Item, Membership, Question, Rater, Rating, Slot, Study, Task
from annotation.studies import unplanning
from annotation.studies.lifecycle import make_live, prepare
from config.models import Erasure
from files.entered.drafts import change_draft, delete_draft, is_changeable, make_draft
from files.reading import ImportRefusedError, add_to_study
from files.reading.import_lock import import_lock
from files.writing.study_yaml import study_body
from tests.conftest import make_person

BODY = {
    "slug": "ferries", "title": "Ferries", "protocol": "rating", "redundancy": 2, "guidelines": "Read everything.",
    "questions": [{"key": "follows", "type": "binary", "text": "Does it follow?"}],
}  # fmt: skip
RANKING = {**BODY, "protocol": "listwise", "questions": [{"key": "overall", "type": "rank", "ranks": 5}]}
PREFERENCE = {**BODY, "protocol": "pairwise", "questions": [{"key": "better", "type": "preference"}]}
ITEM = '{"id": "%s", "document": "x", "outputs": [{"id": "north", "text": "x"}, {"id": "%s", "text": "y"}]%s}\n'

pytestmark = [pytest.mark.quick, pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def draft(owner):
    return make_draft(BODY, owner)


@pytest.fixture
def add_items(tmp_path, owner):
    """A function that adds items with two outputs each to a study."""

    def add(study, *keys, second="south", more=""):
        path = tmp_path / "items.jsonl"
        path.write_text("".join(ITEM % (key, second, more) for key in keys), encoding="utf-8")
        add_to_study(study, {"items": path}, owner)

    return add


def refusal(study, body, owner):
    with pytest.raises(ImportRefusedError) as refused:
        change_draft(study, body, owner)
    return str(refused.value)


def test_a_draft_is_made_from_a_body_and_its_maker_owns_it(draft, owner):
    assert (draft.title, draft.status, draft.redundancy) == ("Ferries", "draft", 2)
    assert [one.key for one in draft.questions.all()] == ["follows"]
    assert draft.guidelines.get().text == "Read everything."
    assert Membership.objects.get(study=draft).role == "owner"
    assert set(AuditEntry.objects.values_list("action", "actor__person")) == {
        ("study created", owner.pk), ("guidelines published", owner.pk), ("member added", owner.pk),
    }  # fmt: skip


def test_a_slug_is_given_once_and_new_is_no_slug(draft, owner):
    with pytest.raises(ImportRefusedError, match="slug: is taken"):
        make_draft(BODY, owner)
    with pytest.raises(ImportRefusedError, match="new is an address of this site"):
        make_draft({**BODY, "slug": "new"}, owner)
    assert Study.objects.count() == 1


def test_everything_but_the_slug_can_change(draft, owner):
    assert change_draft(draft, {**RANKING, "guidelines": "Rank them.", "title": "Boats", "redundancy": 5}, owner)
    assert (draft.title, draft.protocol, draft.redundancy) == ("Boats", "listwise", 5)
    assert [one.key for one in draft.questions.all()] == ["overall"]
    assert [one.text for one in draft.guidelines.all()] == ["Read everything.", "Rank them."]
    entry = AuditEntry.objects.get(action="draft changed")
    assert (entry.old["title"], entry.new["title"]) == ("Ferries", "Boats")
    assert entry.new["questions"] == [{"key": "overall", "type": "rank", "text": "", "ranks": 5}]
    assert "slug: cannot be changed" in refusal(draft, {**RANKING, "slug": "boats"}, owner)


def test_a_body_without_changes_changes_nothing(draft, owner):
    before = AuditEntry.objects.count(), Question.objects.get().pk
    assert not change_draft(draft, BODY, owner)
    assert before == (AuditEntry.objects.count(), Question.objects.get().pk)


def test_an_invalid_body_is_refused_as_a_file_is(draft, owner):
    assert "redundancy: must be a whole number" in refusal(draft, {**BODY, "redundancy": 0, "title": "No"}, owner)
    draft.refresh_from_db()
    assert draft.title == "Ferries"


def test_tasks_of_earlier_settings_are_removed_and_made_again(draft, add_items, owner):
    add_items(draft, "a", "b")
    prepare(draft, 60)
    assert (Task.objects.count(), Slot.objects.count()) == (4, 8)
    change_draft(draft, {**RANKING, "redundancy": 3}, owner)
    assert (Task.objects.count(), Slot.objects.count(), draft.planned_through) == (0, 0, 0)
    prepare(draft, 60)
    assert (Task.objects.count(), Slot.objects.count()) == (2, 6)
    make_live(draft, owner)


def test_a_title_leaves_the_tasks_alone(draft, add_items, owner):
    add_items(draft, "a")
    prepare(draft, 60)
    change_draft(draft, {**BODY, "title": "Boats"}, owner)
    assert Slot.objects.count() == 4
    assert draft.planned_through


def test_many_outdated_tasks_are_removed_in_steps_before_tasks_are_made(draft, add_items, owner, monkeypatch):
    monkeypatch.setattr(unplanning, "AT_ONCE", 2)
    monkeypatch.setattr("files.entered.drafts.REMOVED_AT_ONCE", -1)
    add_items(draft, *"abcde")
    prepare(draft, 60)
    change_draft(draft, {**BODY, "redundancy": 1}, owner)
    assert Slot.objects.count() == 12  # one step of two items
    assert not prepare(draft, -1)
    assert prepare(draft, 60)
    assert Slot.objects.count() == 10
    assert set(Slot.objects.values_list("number", flat=True)) == {0}


def test_an_import_into_a_draft_removes_outdated_tasks_first(draft, add_items, owner, monkeypatch):
    monkeypatch.setattr(unplanning, "AT_ONCE", 1)
    monkeypatch.setattr("files.entered.drafts.REMOVED_AT_ONCE", -1)
    add_items(draft, *"abc")
    prepare(draft, 60)
    change_draft(draft, {**BODY, "redundancy": 1}, owner)
    assert Task.objects.exists()
    add_items(draft, "d")
    assert not Task.objects.exists()


def test_items_that_do_not_fit_another_protocol_refuse_it(draft, add_items, owner):
    add_items(draft, "a", second="tie")
    assert '"tie" cannot be the id of an output' in refusal(draft, PREFERENCE, owner)
    session = {**BODY, "protocol": "session", "questions": [
        {"key": "rating", "type": "category", "choices": ["good", "neutral", "bad"]},
        {"key": "comment", "type": "text"},
    ]}  # fmt: skip
    assert "because the draft has items for rating" in refusal(draft, session, owner)


def test_right_answers_of_items_refuse_questions_that_they_do_not_answer(draft, add_items, owner):
    add_items(draft, "a", more=', "pool": "training", "gold": {"follows": true}')
    assert "do not fit the right answer of item a: gold.follows" in refusal(draft, RANKING, owner)
    assert change_draft(draft, {**BODY, "questions": [*BODY["questions"], {"key": "why", "type": "text"}]}, owner)


def test_a_draft_with_answers_does_not_change(draft, add_items, owner):
    add_items(draft, "a")
    rater = Rater.objects.create(study=draft, name="ann", kind="human")
    Rating.objects.create(
        study=draft, question=draft.questions.get(), rater=rater, item=Item.objects.get(), level="nominal", value=True
    )
    assert not is_changeable(draft)
    assert "has answers already" in refusal(draft, RANKING, owner)
    with pytest.raises(ErasureRefusedError, match="Only a draft without answers"):
        delete_draft(draft, owner)


def test_a_live_study_does_not_change(draft, add_items, owner):
    add_items(draft, "a")
    prepare(draft, 60)
    make_live(draft, owner)
    assert "slug: is live: only a draft can be changed" in refusal(draft, RANKING, owner)


def test_the_slug_of_a_deleted_draft_is_free_again(draft, add_items, owner):
    add_items(draft, "a")
    prepare(draft, 60)
    assert delete_draft(draft, owner)
    assert not Item.objects.exists()
    assert not Guideline.objects.exists()
    assert [one.action for one in AuditEntry.objects.all()] == ["study erased"]
    assert Erasure.objects.count() == 1
    again = make_draft(BODY, make_person("another"))
    assert again.slug == "ferries"


def test_a_blinded_draft_keeps_what_it_hides(owner, add_items):
    options = {"blind_researchers": True, "pairs": {"baseline": "north"}, "seed": 3}
    study = make_draft({**PREFERENCE, "options": options, "systems": {"north": {"model": "lab/n"}}}, owner)
    add_items(study, "a")
    body = study_body(study)
    assert "systems" not in body
    assert body["options"]["pairs"] != options["pairs"]
    assert change_draft(study, {**body, "title": "Boats", "options": {**body["options"], "seed": 4}}, owner)
    assert (study.title, study.options, study.systems) == (
        "Boats", {**options, "seed": 4}, {"north": {"model": "lab/n"}}
    )  # fmt: skip
    body, code = study_body(study), names_of(study).shown("south")
    assert "is not the code" in refusal(
        study, {**body, "options": {**body["options"], "pairs": {"baseline": "south"}}}, owner
    )
    change_draft(study, {**body, "options": {**body["options"], "pairs": {"baseline": code}}}, owner)
    assert study.options["pairs"] == {"baseline": "south"}


def test_the_blinding_of_a_draft_with_items_ends_only_by_unblinding_it(owner, add_items):
    study = make_draft({**PREFERENCE, "options": {"blind_researchers": True}}, owner)
    change_draft(study, PREFERENCE, owner)
    change_draft(study, {**PREFERENCE, "options": {"blind_researchers": True}}, owner)
    add_items(study, "a")
    for options in ({}, {"blind_researchers": False}):
        said = refusal(study, {**PREFERENCE, "options": options}, owner)
        assert "an owner unblinds the study in its settings" in said
    assert is_blind(Study.objects.get(pk=study.pk))


@pytest.mark.django_db(transaction=True)
def test_a_draft_does_not_change_while_files_are_imported_into_it(owner, monkeypatch):
    study = make_draft(BODY, owner)
    monkeypatch.setattr("files.entered.drafts.LONGEST_WAIT", 0.1)
    refused = []

    def change():
        try:
            change_draft(study, RANKING, owner)
        except ImportRefusedError as problem:
            refused.append(str(problem))
        connections.close_all()

    with import_lock(study.slug):
        other = threading.Thread(target=change)
        other.start()
        other.join(60)
    assert "another import into this study is running" in refused[0]
    assert change_draft(study, RANKING, owner)
