"""Actions of the admin: they call the pages' verbs for each chosen row, with their checks and audit, and say so."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Invitation, JudgeRun, Membership, Slot, Study, Task, Token
from annotation.studies.lifecycle import close
from managing.administration import row_steps
from tests.conftest import draft_study, make_person

pytestmark = pytest.mark.django_db


def listing(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page_of(row):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def act(client, key, rows, query="", **more):
    """What the list says after an action on these rows."""
    data = {"action": key, "_selected_action": [one.pk for one in rows], "index": "0", **more}
    return client.post(listing(type(rows[0])) + query, data, follow=True).content.decode()


@pytest.fixture
def staff(client, owner, study):
    """The study's owner, who is a member of staff."""
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


def now(study):
    return Study.objects.get(pk=study.pk)


def test_a_study_goes_through_its_states(client, staff, study):
    for key, state in (("pause", "paused"), ("make_live", "live"), ("close", "closed"), ("reopen", "live")):
        assert ": 1 study." in act(client, key, [study], reason="Lunch")
        assert now(study).status == state
    entries = AuditEntry.objects.filter(action="status changed", actor__person=staff).order_by("pk")
    assert [entry.new.get("reason") for entry in entries] == ["Lunch", None, "Lunch", "Lunch"]


def test_a_study_that_cannot_go_live_says_why(client, staff, study):
    draft = Study.objects.create(slug="empty", protocol="rating", redundancy=1)
    add_member(draft, staff, "owner", None)
    assert "The study cannot go live yet." in act(client, "make_live", [draft])
    assert now(draft).status == "draft"


def test_what_a_verb_refuses_is_said_and_the_others_are_done(client, staff, study):
    draft = draft_study("draft")
    add_member(draft, staff, "owner", None)
    page = act(client, "pause", [study, draft])
    assert "Pause: 1 study." in page
    assert "A study that is draft cannot become paused." in page
    assert now(study).status == "paused"


def test_rows_of_others_are_left_out_and_said(client, staff, study):
    theirs = draft_study("theirs")
    add_member(theirs, staff, "researcher", None)
    Study.objects.filter(pk=theirs.pk).update(status="live")
    assert "Close: you may not do this with 1 of the chosen rows." in act(client, "close", [study, theirs])
    assert (now(study).status, now(theirs).status) == ("closed", "live")


def test_all_rows_of_a_filtered_list_are_touched_and_no_others(client, staff, study):
    live = [study, *(draft_study(f"live-{number}") for number in range(3))]
    for one in live[1:]:
        Study.objects.filter(pk=one.pk).update(status="live")
        add_member(one, staff, "owner", None)
    other = draft_study("other")
    add_member(other, staff, "owner", None)
    assert "Pause: 4 studies." in act(client, "pause", [study], query="?status__exact=live", select_across="1")
    assert sorted(Study.objects.values_list("slug", "status")) == [
        ("live-0", "paused"), ("live-1", "paused"), ("live-2", "paused"), ("other", "draft"), ("study", "paused"),
    ]  # fmt: skip


@pytest.mark.thorough
def test_more_rows_than_fit_one_request_are_refused(client, staff, study):
    for number in range(row_steps.MOST_ROWS + 1):
        Invitation.objects.create(study=study, token_hash=str(number), expires_at=timezone.now())
    first = Invitation.objects.first()
    assert "at most 500 rows at once" in act(client, "revoke", [first], select_across="1")
    first.delete()
    assert "Revoke: 500 invitations." in act(client, "revoke", [Invitation.objects.first()], select_across="1")
    assert not Invitation.objects.filter(revoked_at=None).exists()


def test_only_owners_decide(client, staff, study):
    close(study, staff)
    Membership.objects.filter(study=study, person=staff).update(role="researcher")
    for key in ("reopen", "lock", "unlock", "archive", "bring_back"):
        assert "you may not do this with 1 of the chosen rows" in act(client, key, [study], reason="x")
    after = now(study)
    assert (after.status, after.locked_at, after.archived_at) == ("closed", None, None)


def test_a_closed_study_is_locked_archived_and_brought_back(client, staff, study):
    act(client, "lock", [study])
    assert now(study).locked_at is None  # it is live
    close(study, staff)
    act(client, "lock", [study])
    assert now(study).locked_at is not None
    act(client, "unlock", [study], reason="")
    act(client, "reopen", [study], reason="")
    assert now(study).locked_at is not None  # both need a reason
    act(client, "unlock", [study], reason="A typo")
    assert now(study).locked_at is None
    act(client, "archive", [study])
    assert now(study).archived_at is not None
    act(client, "bring_back", [study])
    assert now(study).archived_at is None
    done = AuditEntry.objects.filter(actor__person=staff).values_list("action", flat=True)
    assert {"study locked", "study unlocked", "study archived", "study brought back"} <= set(done)


def test_one_more_rater_is_asked_for_on_many_items(client, staff, study, rater):
    items = list(study.items.order_by("pk"))
    before = Slot.objects.filter(study=study).count()
    assert "Ask one more rater: Give a reason." in act(client, "add_rater", items)
    assert Slot.objects.filter(study=study).count() == before
    assert "Ask one more rater: 2 items." in act(client, "add_rater", items, reason="Close")
    assert Slot.objects.filter(study=study).count() == before + Task.objects.filter(item__in=items).count()
    entries = AuditEntry.objects.filter(action="rater asked for", actor__person=staff)
    assert [one.new["reason"] for one in entries] == ["Close", "Close"]
    for person in (rater, make_person("helper")):
        person.is_staff = True
        person.save()
        client.force_login(person)
        act(client, "add_rater", items, reason="More")
    assert AuditEntry.objects.filter(action="rater asked for").count() == 2


def test_people_are_removed_restored_and_given_roles(client, staff, study, rater):
    member = Membership.objects.get(study=study, person=rater)
    next_assignment(study, rater_for(study, rater))
    act(client, "remove", [member])
    member.refresh_from_db()
    assert not member.active
    assert not study.slots.filter(state="held").exists()
    act(client, "restore", [member])
    act(client, "change_role", [member], role="king")
    act(client, "change_role", [member])
    member.refresh_from_db()
    assert (member.active, member.role) == (True, "annotator")
    act(client, "change_role", [member], role="researcher")
    member.refresh_from_db()
    assert member.role == "researcher"
    actions = AuditEntry.objects.filter(actor__person=staff).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["member removed", "member restored", "role changed"]


def test_the_last_owner_cannot_be_removed(client, staff, study):
    member = Membership.objects.get(study=study, person=staff)
    assert "only owner" in act(client, "remove", [member])
    member.refresh_from_db()
    assert member.active


def test_a_researcher_on_the_staff_cannot_remove_people(client, study, rater):
    helper = make_person("helper", is_staff=True)
    add_member(study, helper, "researcher", None)
    client.force_login(helper)
    member = Membership.objects.get(study=study, person=rater)
    assert client.get(page_of(member)).status_code == 200
    assert "you may not do this" in act(client, "remove", [member])
    member.refresh_from_db()
    assert member.active


def test_invitations_and_tokens_are_revoked_once(client, staff, study):
    invitation = Invitation.objects.create(study=study, role="annotator", token_hash="a", expires_at=timezone.now())
    token = Token.objects.create(study=study, made_by=staff, name="nightly", token_hash="b", expires_at=timezone.now())
    for row in (invitation, token):
        assert "Revoke: 1 " in act(client, "revoke", [row])
        row.refresh_from_db()
        assert row.revoked_at is not None
        assert "nothing to change in 1" in act(client, "revoke", [row])


def test_an_imported_run_is_refused_with_the_reason(client, staff, study, rater):
    run = JudgeRun.objects.create(rater=rater_for(study, rater), name="run-1", configuration={}, status="stopped")
    assert "imported" in act(client, "resume", [run])
