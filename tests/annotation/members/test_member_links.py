"""Sign-in links by owners: for members who have no rights that the owner has not, and only as long as that is so."""

import re

import pytest
from django.test import Client

from accounts.models import AuditEntry, SignInLink
from annotation.members.member_links import MemberLinkRefusedError, make_member_link
from annotation.members.membership import add_member, change_role, deactivate_member
from annotation.models import Membership
from tests.conftest import draft_study


@pytest.fixture
def member(study, rater):
    return Membership.objects.get(study=study, person=rater)


@pytest.fixture
def office(owner):
    client = Client()
    client.force_login(owner)
    return client


def page_of(member):
    return f"/studies/{member.study.slug}/people/{member.pk}/sign-in-link/"


def made(office, member):
    text = office.post(page_of(member)).content.decode()
    return re.search(r"http://testserver(/sign-in/\S+?/)<", text)


def test_an_owner_makes_a_link_that_signs_a_member_in_once(office, owner, rater, member):
    path = made(office, member)[1]
    one = Client()
    assert one.post(path).status_code == 302
    assert one.get("/").wsgi_request.user == rater
    assert Client().post(path).status_code == 404
    entry = AuditEntry.objects.get(action="sign-in link issued")
    assert (entry.actor.person, entry.about.person, entry.study) == (owner, rater, "study")


def test_a_new_link_ends_the_earlier_one_and_an_owner_revokes_it(office, member):
    first, second = made(office, member)[1], made(office, member)[1]
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200
    office.post(page_of(member), {"revoke": "yes"})
    assert Client().post(second).status_code == 404
    assert AuditEntry.objects.filter(action="sign-in links revoked", study="study").count() == 2


HIGHER = ("staff", "operator", "owner here", "researcher elsewhere", "annotator elsewhere", "inactive")


def raise_rights(member, kind):
    person = member.person
    if kind in ("staff", "operator"):
        person.is_staff, person.is_superuser = True, kind == "operator"
        person.save()
    elif kind == "owner here":
        change_role(member, "owner", None)
    elif kind == "inactive":
        person.is_active = False
        person.save()
    else:
        add_member(draft_study("other"), person, kind.split()[0], None)


@pytest.mark.parametrize("kind", HIGHER)
def test_there_is_no_link_for_people_with_rights_that_the_owner_has_not(office, owner, member, kind):
    raise_rights(member, kind)
    assert made(office, member) is None
    with pytest.raises(MemberLinkRefusedError):
        make_member_link(member, owner)
    assert not SignInLink.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", HIGHER)
def test_a_link_dies_when_its_person_gets_such_rights(office, member, kind):
    path = made(office, member)[1]
    raise_rights(member, kind)
    assert Client().get(path).status_code == Client().post(path).status_code == 404


def test_members_of_another_study_of_the_same_owner_get_a_link(office, owner, member):
    other = draft_study("other")
    add_member(other, owner, "owner", None)
    add_member(other, member.person, "annotator", None)
    assert made(office, member)


@pytest.mark.parametrize("change", ["removed", "made a researcher", "inactive"])
def test_a_link_dies_with_its_makers_right(office, owner, stranger, study, member, change):
    path = made(office, member)[1]
    add_member(study, stranger, "owner", None)
    own = Membership.objects.get(study=study, person=owner)
    if change == "removed":
        deactivate_member(own, None)
    elif change == "made a researcher":
        change_role(own, "researcher", None)
    else:
        owner.is_active = False
        owner.save()
    assert Client().post(path).status_code == 404


def test_a_link_dies_with_the_membership(office, member):
    path = made(office, member)[1]
    deactivate_member(member, None)
    assert Client().post(path).status_code == 404


def test_researchers_and_owners_of_other_studies_make_none(study, stranger, member):
    add_member(study, stranger, "researcher", None)
    client = Client()
    client.force_login(stranger)
    assert client.post(page_of(member)).status_code == 404
    assert not SignInLink.objects.exists()
