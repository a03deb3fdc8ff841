from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Person
from annotation.members.invitations import InvitationDeadError, accept, invite, open_invitation
from annotation.members.membership import add_member, deactivate_member
from annotation.members.revoking import revoke_invitation
from annotation.models import Invitation, Membership, Study

pytestmark = pytest.mark.quick
INVITATIONS = "/studies/study/invitations/"
JOIN = {"username": "newcomer", "full_name": "New Comer", "password": "a password of some length"}


def token_of(path):
    return path.strip("/").split("/")[-1]


@pytest.fixture
def link(study, owner):
    return invite(study, "annotator", owner)[0]


def test_opening_a_link_shows_it_and_posting_uses_it_once(client, study, link):
    page = client.get(link).content.decode()
    assert "A study" in page
    assert "Annotator" in page
    assert client.get(link).status_code == 200
    assert client.post(link, JOIN)["Location"] == "/"
    person = Person.objects.get(username="newcomer")
    membership = Membership.objects.get(person=person)
    assert (membership.study, membership.role, person.is_staff, person.is_superuser) == (
        study, "annotator", False, False,
    )  # fmt: skip
    assert "A study" in client.get("/").content.decode()
    again = Client().post(link, JOIN | {"username": "second"})
    assert again.status_code == 404
    assert not Person.objects.filter(username="second").exists()


def test_somebody_who_is_signed_in_joins_without_a_new_account(client, study, stranger, link):
    client.force_login(stranger)
    assert "You are signed in as" in client.get(link).content.decode()
    assert client.post(link)["Location"] == "/"
    assert Membership.objects.get(person=stranger).role == "annotator"
    assert Invitation.objects.get().accepted_by == stranger


def test_if_two_people_accept_one_joins_and_the_other_leaves_no_trace(study, stranger, link):
    first, second = open_invitation(token_of(link)), open_invitation(token_of(link))
    accept(first, stranger)
    newcomer = Person(username="late")
    with pytest.raises(InvitationDeadError):
        accept(second, newcomer)
    assert not Person.objects.filter(username="late").exists()
    assert Membership.objects.filter(study=study).count() == 3


@pytest.mark.parametrize("role", ["annotator", "researcher", "owner"])
@pytest.mark.parametrize("offered", ["annotator", "researcher"])
def test_an_invitation_neither_raises_nor_lowers_a_role(client, study, owner, stranger, role, offered):
    add_member(study, stranger, role, owner)
    path = invite(study, offered, owner)[0]
    client.force_login(stranger)
    assert client.post(path).status_code == 302
    assert Membership.objects.get(person=stranger).role == role
    assert Invitation.objects.get().accepted_at is None


def test_a_removed_member_cannot_come_back_by_an_invitation(client, study, owner, rater, link):
    deactivate_member(Membership.objects.get(person=rater), owner)
    client.force_login(rater)
    client.post(link)
    assert not Membership.objects.get(person=rater).active


def test_extra_fields_give_no_role_and_no_rights(client, study, make_study, link):
    other = make_study("other")
    extra = {"role": "owner", "is_staff": "on", "is_superuser": "on", "study": other.pk, "is_active": "", "id": "1"}
    client.post(link, JOIN | extra)
    person = Person.objects.get(username="newcomer")
    assert (person.is_staff, person.is_superuser, person.is_active) == (False, False, True)
    assert [(one.study, one.role) for one in person.memberships.all()] == [(study, "annotator")]


@pytest.mark.parametrize("fate", ["unknown", "used", "revoked", "expired", "study closed"])
def test_an_invitation_that_does_not_work_says_neither_why_nor_names_the_study(client, study, owner, rater, fate):
    path = invite(study, "annotator", owner)[0]
    rows = Invitation.objects.filter(study=study)
    if fate == "unknown":
        path = "/invitation/no-such-token/"
    elif fate == "used":
        rows.update(accepted_by=rater, accepted_at=timezone.now())
    elif fate == "revoked":
        revoke_invitation(rows.get(), owner)
    elif fate == "expired":
        rows.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        Study.objects.filter(pk=study.pk).update(status="closed")
    for response in (client.get(path), client.post(path, JOIN)):
        assert response.status_code == 404
        page = response.content.decode()
        assert "This invitation no longer works" in page
        assert "A study" not in page
    assert not Person.objects.filter(username="newcomer").exists()


def test_a_weak_password_or_a_taken_name_keeps_the_form_and_the_invitation(client, study, owner, link):
    weak = client.post(link, JOIN | {"password": "newcomer"})
    assert weak.status_code == 422
    assert "too short" in weak.content.decode()
    assert 'value="New Comer"' in weak.content.decode()
    taken = client.post(link, JOIN | {"username": "OWNER"})
    assert "This user name is taken" in taken.content.decode()
    assert Invitation.objects.get().accepted_at is None


def test_a_name_that_is_taken_at_the_last_moment_is_an_error_at_its_field(client, study, link, monkeypatch):
    Person.objects.create(username="newcomer")
    monkeypatch.setattr("accounts.models.Person.clean", lambda self: None)
    monkeypatch.setattr("accounts.forms.JoinForm.validate_unique", lambda self: None)
    response = client.post(link, JOIN)
    assert response.status_code == 422
    assert "This user name is taken" in response.content.decode()
    assert Invitation.objects.get().accepted_at is None


def test_several_links_are_created_together_shown_once_and_stored_as_hashes(client, study, owner):
    client.force_login(owner)
    form = {"role": "annotator", "count": "50", "days": "3", "note": "June"}
    page = client.post(INVITATIONS, form).content.decode()
    assert page.count("http://testserver/invitation/") == 50
    listed = client.get(INVITATIONS).content.decode().split(">Invitations</h2>")[1].split("<form")[0]
    assert "/invitation/" not in listed
    token = page.split("http://testserver/invitation/")[1].split("/")[0]
    assert len(token) >= 43
    kept = "".join(str(vars(row)) for row in [*Invitation.objects.all(), *AuditEntry.objects.all()])
    assert token not in kept
    assert open_invitation(token).note == "June"
    assert AuditEntry.objects.filter(action="invitation created", actor__person=owner, study="study").count() == 50


@pytest.mark.parametrize("wrong", [{"count": "51"}, {"count": "0"}, {"days": "1000"}, {"role": "owner"}, {"role": ""}])
def test_an_invitation_out_of_bounds_is_refused(client, study, owner, wrong):
    client.force_login(owner)
    form = {"role": "annotator", "count": "1", "days": "3", "note": ""} | wrong
    assert client.post(INVITATIONS, form).status_code == 422
    assert not Invitation.objects.exists()


def test_a_researcher_invites_annotators_but_only_an_owner_researchers(client, study, owner, stranger):
    add_member(study, stranger, "researcher", owner)
    client.force_login(stranger)
    form = {"role": "researcher", "count": "1", "days": "3", "note": ""}
    assert client.post(INVITATIONS, form).status_code == 422
    assert client.post(INVITATIONS, form | {"role": "annotator"}).status_code == 200
    invite(study, "researcher", owner)
    theirs = Invitation.objects.get(role="researcher")
    assert client.post(f"{INVITATIONS}{theirs.pk}/revoke/").status_code == 404
    client.force_login(owner)
    assert client.post(f"{INVITATIONS}{theirs.pk}/revoke/").status_code == 302
    theirs.refresh_from_db()
    assert theirs.revoked_at


def test_the_list_shows_the_state_of_each_invitation(client, study, owner, rater):
    for note in ("open one", "used one", "revoked one", "expired one"):
        invite(study, "annotator", owner, note=note)
    now = timezone.now()
    Invitation.objects.filter(note="used one").update(accepted_by=rater, accepted_at=now)
    Invitation.objects.filter(note="expired one").update(expires_at=now - timedelta(days=1))
    revoke_invitation(Invitation.objects.get(note="revoked one"), owner)
    client.force_login(owner)
    page = client.get(INVITATIONS).content.decode()
    for note, word in (("open one", "open until"), ("used one", "used by"), ("revoked one", "revoked"),
                       ("expired one", "expired")):  # fmt: skip
        assert word in page.split(note)[1].split("</tr>")[0].split("</th>")[1]
    assert page.count("Revoke</button>") == 1


def test_creating_accepting_and_revoking_are_audited(client, study, owner, stranger, link):
    accept(open_invitation(token_of(link)), stranger)
    invite(study, "annotator", owner)
    assert revoke_invitation(Invitation.objects.latest("pk"), owner)
    assert not revoke_invitation(Invitation.objects.latest("pk"), owner)
    rows = AuditEntry.objects.filter(study="study").order_by("pk").values_list("action", "actor__person__username")
    assert list(rows) == [
        ("invitation created", "owner"), ("invitation accepted", "stranger"), ("member added", "stranger"),
        ("invitation created", "owner"), ("invitation revoked", "owner"),
    ]  # fmt: skip


def test_the_password_of_a_newcomer_is_stored_nowhere_in_clear(client, study, link, caplog):
    caplog.set_level("DEBUG")
    client.post(link, JOIN | {"password": "canary-Passw0rd-99"})
    kept = "".join(str(vars(row)) for row in [*Invitation.objects.all(), *AuditEntry.objects.all()])
    assert "canary-P" not in caplog.text + kept + Person.objects.get(username="newcomer").password
