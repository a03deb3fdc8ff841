"""Actions of the admin: they say how many rows they touch, ask first, and do what the pages' verbs do and record."""

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Invitation, JudgeRun, Membership, Slot, Study, Task, Token
from managing.administration import confirmed_actions
from tests.conftest import draft_study, make_person

pytestmark = pytest.mark.django_db


def listing(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page_of(row):
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def act(client, key, rows, model=None, query="", **more):
    data = {"action": key, "_selected_action": [one.pk for one in rows], "index": "0", **more}
    return client.post(listing(model or type(rows[0])) + query, data)


def given(**fields):
    return {f"given-{name}": value for name, value in fields.items()}


@pytest.fixture
def staff(client, owner, study):
    """The study's owner, who is a member of staff."""
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


def test_nothing_happens_before_the_confirmation(client, staff, study):
    page = act(client, "pause", [study])
    assert page.status_code == 200
    assert "Pause: 1 study" in page.content.decode()
    study.refresh_from_db()
    assert study.is_live
    assert act(client, "pause", [study], confirmed="1", **given(reason="Lunch")).status_code == 302
    study.refresh_from_db()
    assert study.status == "paused"
    entry = AuditEntry.objects.get(action="status changed")
    assert (entry.actor.person, entry.new["reason"]) == (staff, "Lunch")


def test_a_study_goes_through_its_states(client, staff, study):
    for key, state in (("pause", "paused"), ("make_live", "live"), ("close", "closed"), ("reopen", "live")):
        act(client, key, [study], confirmed="1")
        study.refresh_from_db()
        assert study.status == state
    assert AuditEntry.objects.filter(action="status changed", actor__person=staff).count() == 4


def test_what_a_verb_refuses_is_said_and_the_others_are_done(client, staff, study):
    draft = draft_study("draft")
    add_member(draft, staff, "owner", None)
    page = client.post(
        listing(Study), {"action": "pause", "_selected_action": [study.pk, draft.pk], "confirmed": "2"}, follow=True
    ).content.decode()
    assert "Pause: 1 study." in page
    assert "A study that is draft cannot become paused." in page
    study.refresh_from_db()
    assert study.status == "paused"


def test_rows_of_others_are_left_out_and_said(client, staff, study):
    theirs = draft_study("theirs")
    add_member(theirs, staff, "researcher", None)
    page = act(client, "close", [study, theirs], confirmed="2").content.decode()
    assert "1 of the chosen rows is left out" in page
    study.refresh_from_db()
    assert study.is_live


def test_another_number_of_rows_than_was_confirmed_is_shown_again(client, staff, study):
    page = act(client, "pause", [study], confirmed="7").content.decode()
    assert "The number of rows has changed" in page
    study.refresh_from_db()
    assert study.is_live


def test_all_rows_of_a_filtered_list_are_touched_and_no_others(client, staff, study):
    live = [study, *(draft_study(f"live-{number}") for number in range(3))]
    for one in live[1:]:
        Study.objects.filter(pk=one.pk).update(status="live")
        add_member(one, staff, "owner", None)
    other = draft_study("other")
    add_member(other, staff, "owner", None)
    page = act(client, "pause", [study], query="?status__exact=live", select_across="1").content.decode()
    assert "Pause: 4 studies" in page
    act(client, "pause", [study], query="?status__exact=live", select_across="1", confirmed="4")
    assert sorted(Study.objects.values_list("slug", "status")) == [
        ("live-0", "paused"), ("live-1", "paused"), ("live-2", "paused"), ("other", "draft"), ("study", "paused"),
    ]  # fmt: skip


@pytest.mark.thorough
def test_more_rows_than_fit_one_request_are_refused(client, staff, study):
    for number in range(confirmed_actions.MOST_ROWS):
        Invitation.objects.create(study=study, token_hash=str(number), expires_at=timezone.now())
    first = Invitation.objects.first()
    page = act(client, "revoke", [first], select_across="1", confirmed="500").content.decode()
    Invitation.objects.create(study=study, token_hash="one more", expires_at=timezone.now())
    assert not Invitation.objects.filter(revoked_at=None).exclude(token_hash="one more").exists()
    page = client.post(
        listing(Invitation), {"action": "revoke", "_selected_action": [first.pk], "select_across": "1"}, follow=True
    ).content.decode()
    assert "at most 500 rows at once" in page


def test_a_row_s_page_offers_what_suits_it_and_leads_back_to_it(client, staff, study):
    page = client.get(page_of(study)).content.decode()
    assert "Pause</button>" in page
    assert "Reopen</button>" not in page
    response = act(client, "pause", [study], confirmed="1", from_row="1")
    assert response["Location"] == page_of(study)


def test_a_researcher_is_not_offered_what_only_owners_may(client, staff, study):
    helper = make_person("helper", is_staff=True)
    add_member(study, helper, "researcher", None)
    client.force_login(helper)
    page = client.get(page_of(study)).content.decode()
    assert "Pause</button>" in page
    assert "Close</button>" not in page
    act(client, "close", [study], confirmed="1")
    study.refresh_from_db()
    assert study.is_live


def test_one_more_rater_is_asked_for_on_many_items_once_their_number_is_confirmed(client, staff, study, rater):
    items = list(study.items.order_by("pk"))
    before = Slot.objects.filter(study=study).count()
    page = act(client, "add_rater", items)
    assert "Ask one more rater: 2 items" in page.content.decode()
    assert (
        act(client, "add_rater", items, confirmed="1", **given(reason="Close")).status_code == 200
    )  # not their number
    assert Slot.objects.filter(study=study).count() == before
    act(client, "add_rater", items, confirmed="2", **given(reason="Close"))
    assert Slot.objects.filter(study=study).count() == before + Task.objects.filter(item__in=items).count()
    entries = AuditEntry.objects.filter(action="rater asked for", actor__person=staff)
    assert [one.new["reason"] for one in entries] == ["Close", "Close"]
    for person in (rater, make_person("helper")):
        person.is_staff = True
        person.save()
        client.force_login(person)
        act(client, "add_rater", items, confirmed="2", **given(reason="More"))
    assert entries.count() == 2


def test_raters_are_stopped_and_let_go_on_as_on_the_page_of_people(client, staff, study, rater):
    mine = rater_for(study, rater)
    assert "1 rater" in act(client, "remove", [mine]).content.decode()
    held = next_assignment(study, mine)
    act(client, "remove", [mine], confirmed="1")
    assert not Slot.objects.filter(holder=mine).exists()
    assert not Membership.objects.get(study=study, person=rater).active
    act(client, "restore", [mine], confirmed="1")
    assert Membership.objects.get(study=study, person=rater).active
    assert Assignment.objects.filter(pk=held.pk).exists()
    actions = AuditEntry.objects.filter(actor__person=staff, action__startswith="member").order_by("pk")
    assert list(actions.values_list("action", flat=True)) == ["member removed", "member restored"]


def test_people_are_removed_restored_and_given_roles(client, staff, study, rater):
    member = Membership.objects.get(study=study, person=rater)
    act(client, "remove", [member], confirmed="1")
    member.refresh_from_db()
    assert not member.active
    act(client, "restore", [member], confirmed="1")
    assert act(client, "change_role", [member], confirmed="1", **given(role="king")).status_code == 422
    act(client, "change_role", [member], confirmed="1", **given(role="researcher"))
    member.refresh_from_db()
    assert (member.active, member.role) == (True, "researcher")
    actions = AuditEntry.objects.filter(actor__person=staff).order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["member removed", "member restored", "role changed"]


def test_invitations_are_made_shown_once_and_revoked(client, staff, study):
    form = {"study": study.pk, "role": "annotator", "count": 2, "days": 3, "note": "Ada"}
    page = client.post(reverse("admin:annotation_invitation_add"), form).content.decode()
    assert page.count("://testserver/invitation/") == 2
    assert list(Invitation.objects.values_list("note", "created_by")) == [("Ada", staff.pk)] * 2
    act(client, "revoke", list(Invitation.objects.all()), confirmed="2")
    assert not Invitation.objects.filter(revoked_at=None).exists()


def test_annotators_are_invited_from_the_list_of_studies(client, staff, study):
    assert "For whom" in act(client, "invite", [study]).content.decode()
    page = act(client, "invite", [study], confirmed="1", **given(role="annotator", count=1, days=3))
    assert page.content.decode().count("://testserver/invitation/") == 1
    assert act(client, "invite", [study], confirmed="1", **given(role="owner", count=1, days=3)).status_code == 422


def test_tokens_are_made_shown_once_and_revoked(client, staff, study):
    form = {"study": study.pk, "name": "nightly", "scope": "read", "days": 3}
    page = client.post(reverse("admin:annotation_token_add"), form).content.decode()
    token = Token.objects.get()
    assert "nightly" in page
    assert token.token_hash not in page
    act(client, "revoke", [token], confirmed="1")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_an_export_is_confirmed_sent_and_recorded(client, staff, study):
    assert "Export: 1 study" in act(client, "export", [study]).content.decode()
    response = act(client, "export", [study], confirmed="1", **given(file_format="jsonl"))
    assert response["Content-Type"] == "application/zip"
    assert b"".join(response)[:2] == b"PK"
    assert AuditEntry.objects.filter(actor__person=staff, action__contains="export").exists()


def test_an_imported_run_is_refused_with_the_reason(client, staff, study, rater):
    from annotation.members.membership import rater_for

    run = JudgeRun.objects.create(rater=rater_for(study, rater), name="run-1", configuration={}, status="stopped")
    page = client.post(
        listing(JudgeRun), {"action": "resume", "_selected_action": [run.pk], "confirmed": "1"}, follow=True
    ).content.decode()
    assert "imported" in page
