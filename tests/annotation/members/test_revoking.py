"""Invitations and tokens end with their maker's right to make them."""

import threading
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, Person
from annotation.access import open_token
from annotation.members.invitations import InvitationDeadError, accept, invite, open_invitation
from annotation.members.membership import add_member, change_role, deactivate_member, restore_member
from annotation.members.tokens import issue_token
from annotation.models import Invitation, Membership, Study, Token
from tests.conftest import make_person

JOIN = {"username": "newcomer", "full_name": "New Comer", "password": "a password of some length"}


def token_of(path):
    return path.strip("/").split("/")[-1]


@pytest.fixture
def granter(study):
    """A second owner, who has invited one researcher and one annotator and made a token."""
    person = make_person("granter")
    add_member(study, person, "owner", None)
    return person


@pytest.fixture
def granted(study, granter):
    """The paths of the two invitations, by role, and the secret of the token."""
    paths = {role: invite(study, role, granter)[0] for role in ("researcher", "annotator")}
    return {**paths, "token": issue_token(study, granter, name="export", scope="write")}


def works(granted):
    """Which of them work now."""
    found = {"token"} if open_token(granted["token"]) else set()
    return found | {role for role in ("researcher", "annotator") if Client().get(granted[role]).status_code == 200}


def admin_form(person, **changed):
    fields = {"username": person.username, "full_name": "", "email": "", "is_active": "on"} | changed
    return {name: value for name, value in fields.items() if value is not None}


def change_in_admin(person, **changed):
    operator = Client()
    operator.force_login(make_person("operator", is_staff=True, is_superuser=True))
    path = reverse("admin:accounts_person_change", args=[person.pk])
    assert operator.post(path, admin_form(person, **changed)).status_code == 302


def membership_of(person):
    return Membership.objects.get(person=person)


def remove(person, owner):
    deactivate_member(membership_of(person), owner)


def deactivate_in_admin(person, owner):
    change_in_admin(person, is_active=None)


def switch_membership_off_in_admin(person, owner):
    operator = Client()
    operator.force_login(make_person("operator", is_staff=True, is_superuser=True))
    chosen = {"action": "remove", "_selected_action": [membership_of(person).pk]}
    assert operator.post(reverse("admin:annotation_membership_changelist"), chosen).status_code == 302


def make_annotator(person, owner):
    change_role(membership_of(person), "annotator", owner)


def make_researcher(person, owner):
    change_role(membership_of(person), "researcher", owner)


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (remove, set()),
        (deactivate_in_admin, set()),
        (switch_membership_off_in_admin, set()),
        (make_annotator, set()),
        (make_researcher, {"annotator", "token"}),
    ],
)
def test_grants_are_revoked_with_the_right_to_make_them(study, owner, granter, granted, change, left):
    assert works(granted) == {"researcher", "annotator", "token"}
    change(granter, owner)
    assert works(granted) == left
    for role in {"researcher", "annotator"} - left:
        assert Client().post(granted[role], JOIN).status_code == 404
    assert not Person.objects.filter(username="newcomer").exists()
    revoked = set(Invitation.objects.exclude(revoked_at=None).values_list("role", flat=True))
    assert revoked == {"researcher", "annotator"} - left
    assert Token.objects.filter(revoked_at=None).exists() == ("token" in left)
    entries = AuditEntry.objects.filter(action__in=["invitation revoked", "token revoked"], study="study")
    assert entries.count() == 3 - len(left)


@pytest.mark.parametrize("change", [remove, deactivate_in_admin, make_annotator])
def test_revoked_grants_stay_revoked_when_the_right_comes_back(study, owner, granter, granted, change):
    change(granter, owner)
    Person.objects.filter(pk=granter.pk).update(is_active=True)
    restore_member(membership_of(granter), owner)
    change_role(membership_of(granter), "owner", owner)
    assert works(granted) == set()


@pytest.mark.parametrize("table", [Person, Membership])
def test_rights_are_checked_at_use_whatever_code_took_them(study, granter, granted, table):
    if table is Person:
        Person.objects.filter(pk=granter.pk).update(is_active=False)
    else:
        Membership.objects.filter(person=granter).update(active=False)
    assert works(granted) == set()
    with pytest.raises(InvitationDeadError):
        open_invitation(token_of(granted["researcher"]))


def test_an_operator_grants_in_every_study_as_long_as_they_are_one(study, owner):
    operator = make_person("second-operator", is_staff=True, is_superuser=True)
    granted = {role: invite(study, role, operator)[0] for role in ("researcher", "annotator")}
    granted["token"] = issue_token(study, operator, name="export", scope="read")
    assert works(granted) == {"researcher", "annotator", "token"}
    change_in_admin(operator, is_staff="on")
    assert works(granted) == set()
    assert not Invitation.objects.filter(revoked_at=None).exists()


def test_grants_of_others_keep_working(study, owner, granter, granted):
    kept = {role: invite(study, role, owner)[0] for role in ("researcher", "annotator")}
    kept["token"] = issue_token(study, owner, name="export", scope="read")
    made_by_a_command = invite(study, "researcher", None)[0]
    remove(granter, owner)
    assert works(kept) == {"researcher", "annotator", "token"}
    assert Client().get(made_by_a_command).status_code == 200


def test_rights_count_only_in_their_own_study(study, make_study, owner, granter, granted):
    other = make_study("other")
    add_member(other, granter, "owner", None)
    elsewhere = {role: invite(other, role, granter)[0] for role in ("researcher", "annotator")}
    elsewhere["token"] = issue_token(other, granter, name="export", scope="read")
    deactivate_member(Membership.objects.get(study=study, person=granter), owner)
    assert works(granted) == set()
    assert works(elsewhere) == {"researcher", "annotator", "token"}


def test_an_invitation_to_a_closed_study_works_again_when_it_is_reopened(study, owner):
    path = invite(study, "annotator", owner)[0]
    Study.objects.update(status="closed")
    assert Client().post(path, JOIN).status_code == 404
    Study.objects.update(status="live")
    assert Client().post(path, JOIN).status_code == 302


def test_the_page_shows_revoked_invitations_and_revokes_the_others(client, study, owner, granter, granted):
    make_researcher(granter, owner)
    client.force_login(owner)
    page = client.get("/studies/study/invitations/").content.decode()
    assert page.count("Revoke</button>") == 1
    left = Invitation.objects.get(revoked_at=None)
    assert client.post(f"/studies/study/invitations/{left.pk}/revoke/").status_code == 302
    assert works(granted) == {"token"}


def all_at_once(*steps):
    """Run each step in its own thread and connection, all starting at the same moment."""
    together, outcomes = threading.Barrier(len(steps)), {}

    def take(number, step):
        together.wait()
        try:
            outcomes[number] = step()
        except InvitationDeadError:
            outcomes[number] = None
        connection.close()

    threads = [threading.Thread(target=take, args=one) for one in enumerate(steps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [outcomes[number] for number in range(len(steps))]


@pytest.mark.django_db(transaction=True)
def test_of_many_who_accept_one_invitation_at_once_one_joins(study, owner):
    for turn in range(5):
        token = token_of(invite(study, "annotator", owner)[0])
        people = [make_person(f"person-{turn}-{number}") for number in range(4)]
        found = [open_invitation(token) for _ in people]
        joined = all_at_once(
            *(lambda one=one, who=who: accept(one, who) for one, who in zip(found, people, strict=True))
        )
        assert sum(one is not None for one in joined) == 1
        assert Membership.objects.filter(person__in=people).count() == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_joins_by_an_invitation_after_its_maker_was_removed(study, owner):
    for turn in range(8):
        granter, newcomer = make_person(f"granter-{turn}"), make_person(f"newcomer-{turn}")
        membership = add_member(study, granter, "researcher", owner)
        found = open_invitation(token_of(invite(study, "annotator", granter)[0]))
        joined, _ = all_at_once(partial(accept, found, newcomer), partial(deactivate_member, membership, owner))
        row = Invitation.objects.get(pk=found.pk)
        assert (joined is None) == (row.accepted_at is None) == (row.revoked_at is not None)
