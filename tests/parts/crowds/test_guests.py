"""Guests: the account that a link has made is open to one study alone, also for somebody else who has the link."""

import pytest
from django.test import Client

from accounts.models import Person
from accounts.sign_in_links import issue_password_link
from annotation.access import open_token
from annotation.members.invitations import invite
from annotation.members.membership import MembershipRefusedError, add_member
from annotation.members.tokens import NobodysTokenError, issue_account_token, issue_token
from annotation.models import Invitation, Membership, Study, Token
from config.parts import parts_of
from files.entered.drafts import make_draft
from files.reading import ImportRefusedError
from tests.parts.crowds.crowd_study import Guest, crowd_study, prolific_ids

JOIN = {"username": "newcomer", "full_name": "New Comer", "password": "a long new password"}
TOKENS = "/my-settings/tokens/"
NEW = "another long password"


@pytest.fixture
def first(owner):
    return crowd_study(owner)


@pytest.fixture
def second(first, owner):
    """Another study, which invites people and has no links."""
    return crowd_study(owner, recruiter=None, slug="second")


@pytest.fixture
def guest(first):
    found = Guest(first)
    assert found.enter(prolific_ids()).status_code == 302
    return found


def person_of(guest):
    return Person.objects.get(pk=guest.person)


def test_a_guest_who_accepts_an_invitation_gets_another_account_for_it(guest, second, owner):
    [path] = invite(second, "annotator", owner)
    came = person_of(guest)
    page = guest.client.get(path).content.decode()
    assert "guest of another study" in page
    assert 'name="username"' in page
    assert guest.client.post(path).status_code == 422
    assert guest.client.post(path, JOIN)["Location"] == "/"
    joined = Person.objects.get(username="newcomer")
    assert guest.person == joined.pk
    assert list(Membership.objects.filter(person=joined).values_list("study__slug", flat=True)) == ["second"]
    assert list(Membership.objects.filter(person=came).values_list("study__slug", flat=True)) == ["study"]
    assert Invitation.objects.get(study=second).accepted_by == joined


def test_the_ids_of_a_link_open_no_other_study_from_any_browser(guest, second, owner):
    [path] = invite(second, "annotator", owner)
    guest.client.post(path, JOIN)
    other = Guest(guest.study)
    assert other.enter(prolific_ids()).status_code == 302
    assert person_of(other).guest_of == "study"
    assert other.client.get("/studies/second/my-answers/").status_code == 404
    assert "second" not in other.client.get("/").content.decode()


def test_a_link_leads_into_no_account_that_is_in_a_second_study_after_all(guest, second):
    Membership.objects.create(study=second, person=person_of(guest), role="annotator")
    page = Guest(guest.study).enter(prolific_ids())
    assert page.status_code == 422
    assert "You cannot join this study any more." in page.content.decode()


def test_nobody_adds_a_guest_to_another_study(guest, first, second, owner):
    with pytest.raises(MembershipRefusedError, match="that study alone"):
        add_member(second, person_of(guest), "annotator", owner)
    assert add_member(first, person_of(guest), "annotator", owner).active


def test_a_guest_of_the_same_study_is_told_that_an_invitation_changes_nothing(guest, first, owner):
    [path] = invite(first, "annotator", owner)
    assert 'name="username"' not in guest.client.get(path).content.decode()
    assert guest.client.post(path)["Location"] == "/"
    assert Membership.objects.filter(person=guest.person).count() == 1


def test_guests_make_no_tokens(guest, first):
    page = guest.client.get(TOKENS).content.decode()
    assert "There is nothing yet that a token of yours could open." in page
    form = {"name": "x", "days": "30", "opens": "tasks", "tasks_of": "study", "scope": "write"}
    assert guest.client.post(TOKENS, form).status_code == 422
    for opens in ("all", "named"):
        assert guest.client.post(TOKENS, form | {"opens": opens}).status_code == 422
    with pytest.raises(NobodysTokenError):
        issue_token(first, person_of(guest), name="x", scope="annotate")
    with pytest.raises(NobodysTokenError):
        issue_account_token(person_of(guest), name="x", scope="read")
    assert not Token.objects.exists()


def allow_tokens(study, allowed):
    study.recruiting = {**study.recruiting, "guest_tokens": allowed}
    study.save(update_fields=["recruiting"])


def test_a_study_may_allow_its_guests_tokens_for_their_tasks_and_take_them_back(guest, first):
    allow_tokens(first, True)
    form = {"name": "x", "days": "30", "opens": "tasks", "tasks_of": "study"}
    page = guest.client.post(TOKENS, form)
    secret = page.context["secret"]
    assert secret
    assert open_token(secret).made_by == person_of(guest)
    with pytest.raises(NobodysTokenError):
        issue_account_token(person_of(guest), name="x", scope="read")
    allow_tokens(Study.objects.get(pk=first.pk), False)
    assert open_token(secret) is None
    work = Client(headers={"Authorization": f"Bearer {secret}"}).post(
        "/api/studies/study/work/next/", {}, content_type="application/json"
    )
    assert work.status_code == 401


@pytest.mark.parametrize(("value", "fits"), [(True, True), (False, True), ("yes", False), (1, False)])
def test_a_study_file_says_whether_guests_may_have_tokens(owner, value, fits):
    owner.is_staff = True
    body = {
        "slug": "asked",
        "title": "Asked",
        "protocol": "rating",
        "redundancy": 1,
        "questions": [{"key": "note", "type": "text", "text": "Anything?", "required": False}],
        "recruiting": {"public_link": {"people": 3}, "guest_tokens": value},
    }
    if fits:
        study = make_draft(body, owner)
        assert any(part.allows_guest_tokens(study) for part in parts_of(study)) is value
    else:
        with pytest.raises(ImportRefusedError, match="guest_tokens"):
            make_draft(body, owner)


def test_a_guest_who_sets_a_password_has_an_ordinary_account_into_which_no_link_leads(guest, second, owner):
    person = person_of(guest)
    path = issue_password_link(person, 1)
    assert Client().post(path, {"new_password1": NEW, "new_password2": NEW}).status_code == 302
    person.refresh_from_db()
    assert person.guest_of == ""
    assert Guest(guest.study).enter(prolific_ids()).status_code == 422
    [link] = invite(second, "annotator", owner)
    client = Client()
    assert client.post("/sign-in/", {"username": person.username, "password": NEW}).status_code == 302
    assert client.post(link).status_code == 302
    assert Membership.objects.filter(study=second, person=person).exists()
