"""Studies, items and places in the admin: made, changed and steered by the verbs of the pages."""

import json
import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.background import task_preparing
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Membership, Rating, Slot, Study, TaskPreparation
from config.background.claiming import run_waiting
from managing.administration import study_admin
from managing.administration.steered_admin import SteeredAdmin
from tests.conftest import add_item
from tests.managing.test_admin_actions import act, given, listing, page_of

pytestmark = pytest.mark.django_db
BODY = """slug: from-admin
title: Made in the admin
protocol: rating
redundancy: 2
questions:
  - {key: follows, type: binary, text: Does it follow?}
"""
SINCE = re.compile(r'name="since" value="([0-9a-f]{16})"')
OUTPUTS = [{"id": "a", "text": "At nine."}]
LINE = {"id": "one", "document": "It sails at nine.", "instruction": "When?", "outputs": OUTPUTS}


@pytest.fixture
def staff(client, owner, study):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


@pytest.fixture
def draft(client, staff):
    assert client.post(reverse("admin:annotation_study_add"), {"body": BODY}).status_code == 302
    return Study.objects.get(slug="from-admin")


def since(client, draft):
    return SINCE.search(client.get(page_of(draft)).content.decode())[1]


def add(client, study, *lines):
    text = "\n".join(json.dumps(line) for line in lines)
    return client.post(reverse("admin:annotation_item_add"), {"study": study.pk, "lines": text})


def test_a_study_begins_as_a_template_and_its_maker_owns_it(client, staff):
    page = client.get(reverse("admin:annotation_study_add") + "?template=plain").content.decode()
    assert "protocol: rating" in page
    assert client.post(reverse("admin:annotation_study_add"), {"body": BODY}).status_code == 302
    study = Study.objects.get(slug="from-admin")
    assert (study.status, study.redundancy) == ("draft", 2)
    assert Membership.objects.get(study=study).role == "owner"


def test_all_problems_of_a_study_file_are_said_and_nothing_typed_is_lost(client, staff):
    wrong = BODY.replace("rating", "ratings").replace("binary", "unary") + "redundance: 3\n"
    page = client.post(reverse("admin:annotation_study_add"), {"body": wrong}).content.decode()
    assert "redundance" in page
    assert "unary" in page
    assert "protocol" in page
    page = client.post(reverse("admin:annotation_study_add"), {"body": "a: [1"}).content.decode()
    assert "is not valid YAML" in page
    assert Study.objects.count() == 1


def test_a_draft_is_changed_and_deleted(client, draft):
    form = {"body": BODY.replace("redundancy: 2", "redundancy: 3"), "since": since(client, draft)}
    assert client.post(page_of(draft), form).status_code == 302
    draft.refresh_from_db()
    assert draft.redundancy == 3
    act(client, "redundancy", [draft], confirmed="1", **given(count=4, reason="More"))
    draft.refresh_from_db()
    assert draft.redundancy == 4
    response = act(client, "delete", [draft], confirmed="1", from_row="1")
    assert response.status_code == 302
    assert not Study.objects.filter(slug="from-admin").exists()


def test_a_draft_that_somebody_else_changed_is_not_overwritten_unasked(client, draft):
    form = {"body": BODY.replace("Made in the admin", "Mine"), "since": since(client, draft)}
    Study.objects.filter(pk=draft.pk).update(title="Theirs")
    response = client.post(page_of(draft), form)
    assert response.status_code == 200
    assert "Somebody else changed this draft" in response.content.decode()
    assert "title: Mine" in response.content.decode()
    assert Study.objects.get(pk=draft.pk).title == "Theirs"
    again = {**form, "since": SINCE.search(response.content.decode())[1]}
    assert client.post(page_of(draft), again).status_code == 302
    assert Study.objects.get(pk=draft.pk).title == "Mine"


def test_a_study_that_is_no_draft_keeps_all_but_its_description(client, staff, study):
    form = {"title": "Renamed", "description": "", "contact": "", "body": BODY}
    assert client.post(page_of(study), form).status_code == 302
    study.refresh_from_db()
    assert (study.title, study.slug) == ("Renamed", "study")


def test_items_are_added_edited_and_removed_in_a_draft(client, draft):
    assert add(client, draft, LINE, {**LINE, "id": "two"}).status_code == 302
    item = Item.objects.get(study=draft, key="one")
    page = client.get(page_of(item)).content.decode()
    assert "At nine." in page
    assert item.digest not in page
    assert client.post(page_of(item), {"line": json.dumps({**LINE, "document": "Changed."})}).status_code == 302
    item.refresh_from_db()
    assert item.document == "Changed."
    page = client.post(page_of(item), {"line": '{"id": "one", "outputs": 7}'}).content.decode()
    assert "outputs" in page
    act(client, "remove", [item], confirmed="1")
    assert list(Item.objects.filter(study=draft).values_list("key", flat=True)) == ["two"]
    assert (
        "is not a JSON object"
        in client.post(reverse("admin:annotation_item_add"), {"study": draft.pk, "lines": "[1]"}).content.decode()
    )


def test_one_wrong_line_adds_no_item(client, draft):
    page = add(client, draft, LINE, {**LINE, "id": ""}).content.decode()
    assert "id" in page
    assert not Item.objects.filter(study=draft).exists()


def test_an_item_of_a_live_study_is_shown_with_its_answers_and_cannot_be_edited(client, staff, study, rater):
    task = next_assignment(study, rater_for(study, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["CANARY-COMMENT"]}, 0, 1))
    item = task.task.item
    page = client.get(page_of(item)).content.decode()
    assert "CANARY-COMMENT" in page
    assert rater_for(study, rater).name in page
    assert "system-north" in page
    assert client.post(page_of(item), {"line": "{}"}).status_code == 403


def test_items_are_withdrawn_restored_and_given_priority_with_a_reason(client, staff, study):
    items = list(study.items.all())
    assert act(client, "withdraw", items, confirmed="2", **given(reason="")).status_code == 422
    act(client, "withdraw", items, confirmed="2", **given(reason="Broken"))
    assert not Item.objects.filter(study=study, withdrawn_at=None).exists()
    act(client, "restore", items, confirmed="2", **given(reason="Fixed"))
    act(client, "priority", items, confirmed="2", **given(reason="Soon", priority="0"))
    assert set(study.items.values_list("priority", "withdrawn_at")) == {(0, None)}
    actions = AuditEntry.objects.filter(actor__person=staff).values_list("action", flat=True)
    assert sorted(actions) == sorted(["item withdrawn", "item restored", "priority set"] * 2)


def test_a_locked_study_is_described_and_reopened_for_a_reason(client, staff, study):
    Study.objects.filter(pk=study.pk).update(status="closed", locked_at=timezone.now())
    assert 'name="reason"' in client.get(page_of(study)).content.decode()
    told = {"title": "Ferries", "description": "", "contact": ""}
    assert "Give a reason for the correction." in client.post(page_of(study), told).content.decode()
    assert client.post(page_of(study), {**told, "reason": "A wrong name."}).status_code == 302
    assert AuditEntry.objects.get(action="study described").new == {"title": "Ferries", "reason": "A wrong name."}
    act(client, "reopen", [study], confirmed="1")
    study.refresh_from_db()
    assert (study.status, study.title) == ("closed", "Ferries")
    act(client, "reopen", [study], confirmed="1", **given(reason="More answers."))
    study.refresh_from_db()
    assert (study.status, study.locked_at) == ("live", None)
    assert 'name="reason"' not in client.get(page_of(study)).content.decode()


def test_workers_change_the_redundancy_of_a_study_with_many_items(client, staff, study, monkeypatch):
    monkeypatch.setattr(study_admin, "MOST_ITEMS", 1)
    monkeypatch.setattr(task_preparing, "AT_ONCE", 1)
    page = client.post(
        listing(Study), {"action": "redundancy", "_selected_action": [study.pk], "confirmed": "1",
                         **given(count=4, reason="More")}, follow=True,
    ).content.decode()  # fmt: skip
    assert study_admin.CHANGING in page
    assert set(Slot.objects.values_list("number", flat=True)) == {0, 1}
    act(client, "redundancy", [study], confirmed="1", **given(count=5, reason="Even more"))
    study.refresh_from_db()
    assert study.redundancy == 4  # refused together with the study's own change while one is under way
    run_waiting()
    assert {task.slots.count() for one in study.items.all() for task in one.tasks.all()} == {4}
    row = TaskPreparation.objects.get()
    assert (row.status, row.redundancy, row.done) == ("done", 4, 2)
    entries = AuditEntry.objects.filter(action="redundancy changed", subject__startswith="item ")
    assert {(entry.actor.person, entry.new["redundancy"]) for entry in entries} == {(staff, 4)}
    assert entries.count() == 2


def test_redundancy_is_changed_for_items_and_for_a_study(client, staff, study):
    item = study.items.first()
    act(client, "redundancy", [item], confirmed="1", **given(count=4, reason="Unsure"))
    assert {task.slots.count() for task in item.tasks.all()} == {4}
    act(client, "redundancy", [study], confirmed="1", **given(count=1, reason="Enough"))
    study.refresh_from_db()
    assert study.redundancy == 1
    assert {task.slots.count() for one in study.items.all() for task in one.tasks.all()} == {1}
    act(client, "add_rater", [item], confirmed="1", **given(reason="One more"))
    act(client, "cancel", [item], confirmed="1", **given(reason="No more"))
    assert not item.slots.exists()


def test_places_are_released_and_reassigned(client, staff, study, rater, stranger):
    add_member(study, stranger, "annotator", None)
    next_assignment(study, rater_for(study, rater))
    slot = Slot.objects.filter(state="held").first()
    act(client, "free", [slot], confirmed="1", **given(reason="Away"))
    slot.refresh_from_db()
    assert slot.state == "open"
    member = Membership.objects.get(study=study, person=stranger)
    act(client, "reassign", [slot], confirmed="1", **given(member=member.pk, days=2, reason=""))
    slot.refresh_from_db()
    assert (slot.state, slot.holder.person) == ("held", stranger)


def queries_of(client, address):
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return len(caught)


@pytest.mark.thorough
def test_no_list_asks_more_for_more_rows_or_counts_them_all(client, staff, study, rater):
    lists = [listing(model) for model, one in admin.site._registry.items() if isinstance(one, SteeredAdmin)]
    task = next_assignment(study, rater_for(study, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, 0, 1))
    lists += [listing(Rating)]
    study.invitations.create(token_hash="one", expires_at=timezone.now(), created_by=staff)
    before = {address: queries_of(client, address) for address in lists}
    for number in range(15):
        item = add_item(study, f"more-{number}")
        for one in item.outputs.all():
            made = item.tasks.create(key=str(one.pk))
            Slot.objects.create(study=study, item=item, task=made, number=0, place=1, order=[0])
        study.invitations.create(token_hash=str(number), expires_at=timezone.now(), created_by=staff)
    after = {address: queries_of(client, address) for address in lists}
    assert {
        address: count for address, count in after.items() if count > before[address] + 1
    } == {}  # a second page reads keys first
    assert max(after.values()) <= 15


def test_a_long_list_is_counted_up_to_a_limit_only(client, staff, study, monkeypatch):
    from accounts.limited_pages import LimitedPaginator

    monkeypatch.setattr(LimitedPaginator, "most", 1)
    assert "more than 1 items" in client.get(listing(Item)).content.decode()
