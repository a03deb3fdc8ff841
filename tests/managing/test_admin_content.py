"""Items, tasks and places in the admin: steered by the verbs of the pages, and made and edited on those pages."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.limited_pages import LimitedPaginator
from accounts.models import AuditEntry
from annotation.background import task_preparing
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_token
from annotation.models import Invitation, Item, JudgeRun, Membership, Rating, Slot, Study, TaskPreparation, Token
from config.background.claiming import run_waiting
from managing.administration import study_admin
from managing.administration.row_steps import SteeredAdmin
from tests.conftest import add_item, draft_study
from tests.managing.test_admin_actions import act, listing, page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client, owner, study):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


def test_add_study_leads_to_the_page_that_makes_studies(client, staff):
    assert reverse("admin:annotation_study_add") in client.get(listing(Study)).content.decode()
    assert client.get(reverse("admin:annotation_study_add"))["Location"] == reverse("managing:new_study")


def test_each_row_has_a_link_to_the_page_that_changes_it(client, staff, study, rater):
    invite(study, "annotator", staff)
    issue_token(study, staff, name="nightly", scope="read")
    run = JudgeRun.objects.create(rater=rater_for(study, rater), name="run-1", configuration={})
    for row in (
        study, study.items.first(), study.slots.first(), study.items.first().tasks.first(), run,
        Membership.objects.first(), Invitation.objects.get(), Token.objects.get(),
    ):  # fmt: skip
        page = client.get(page_of(row))
        [link] = [line for line in page.content.decode().splitlines() if "View on site" in line]
        assert client.get(link.split('href="')[1].split('"')[0]).status_code == 200, row


def test_items_are_withdrawn_restored_and_given_priority_with_a_reason(client, staff, study):
    items = list(study.items.all())
    assert "Withdraw: Give a reason." in act(client, "withdraw", items)
    assert not Item.objects.filter(study=study).exclude(withdrawn_at=None).exists()
    act(client, "withdraw", items, reason="Broken")
    assert not Item.objects.filter(study=study, withdrawn_at=None).exists()
    act(client, "restore", items, reason="Fixed")
    act(client, "priority", items, reason="Soon", priority="0")
    assert set(study.items.values_list("priority", "withdrawn_at")) == {(0, None)}
    actions = AuditEntry.objects.filter(actor__person=staff).values_list("action", flat=True)
    assert sorted(actions) == sorted(["item withdrawn", "item restored", "priority set"] * 2)


def test_workers_change_the_redundancy_of_a_study(client, staff, study, monkeypatch):
    monkeypatch.setattr(task_preparing, "AT_ONCE", 1)
    assert study_admin.CHANGING in act(client, "redundancy", [study], count=4, reason="More")
    assert set(Slot.objects.values_list("number", flat=True)) == {0, 1}
    act(client, "redundancy", [study], count=5, reason="Even more")
    study.refresh_from_db()
    assert study.redundancy == 4  # refused together with the study's own change while one is under way
    run_waiting()
    assert {task.slots.count() for one in study.items.all() for task in one.tasks.all()} == {4}
    row = TaskPreparation.objects.get()
    assert (row.status, row.redundancy, row.done) == ("done", 4, 2)
    entries = AuditEntry.objects.filter(action="redundancy changed", subject__startswith="item ")
    assert {(entry.actor.person, entry.new["redundancy"]) for entry in entries} == {(staff, 4)}
    assert entries.count() == 2


def test_the_redundancy_of_a_draft_is_part_of_its_file(client, staff):
    draft = draft_study("draft")
    add_member(draft, staff, "owner", None)
    assert "Change the number of a draft on its page Build." in act(client, "redundancy", [draft], count=4, reason="x")
    assert not TaskPreparation.objects.exists()


def test_redundancy_is_changed_for_items(client, staff, study):
    item = study.items.first()
    act(client, "redundancy", [item], count=4, reason="Unsure")
    assert {task.slots.count() for task in item.tasks.all()} == {4}
    act(client, "redundancy", [item], count="", reason="Unsure")
    act(client, "redundancy", [item], count=1, reason="Enough")
    assert {task.slots.count() for task in item.tasks.all()} == {1}
    act(client, "add_rater", [item], reason="One more")
    act(client, "cancel", [item], reason="No more")
    assert not item.slots.exists()


def test_places_are_released(client, staff, study, rater):
    next_assignment(study, rater_for(study, rater))
    slot = Slot.objects.filter(state="held").first()
    act(client, "free", [slot], reason="Away")
    slot.refresh_from_db()
    assert slot.state == "open"


def test_tasks_are_released_and_steered_with_their_items(client, staff, study, rater):
    task = next_assignment(study, rater_for(study, rater)).task
    act(client, "free", [task], reason="Away")
    assert not Slot.objects.filter(state="held").exists()
    assert "nothing to change in 1" in act(client, "free", [task])
    act(client, "redundancy", list(task.item.tasks.order_by("pk")[:2]), count=3, reason="Unsure")
    assert {one.slots.count() for one in task.item.tasks.all()} == {3}
    act(client, "priority", [task], priority=0, reason="First")
    task.item.refresh_from_db()
    assert task.item.priority == 0
    act(client, "cancel", [task], reason="Enough")
    assert not task.item.slots.filter(state="open").exists()


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
    monkeypatch.setattr(LimitedPaginator, "most", 1)
    assert "more than 1 items" in client.get(listing(Item)).content.decode()
