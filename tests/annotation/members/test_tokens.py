"""The page of a study's tokens: created with a scope and an expiry, shown once, revoked."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry
from accounts.secret_tokens import token_hash
from annotation.access import open_token
from annotation.members.membership import add_member, change_role, deactivate_member
from annotation.members.revoking import revoke_token
from annotation.members.tokens import issue_token, note_use
from annotation.models import Membership, Token
from tests.conftest import make_person

TOKENS = "/studies/study/tokens/"
FORM = {"name": "nightly export", "scope": "read", "days": "30"}


@pytest.fixture
def researcher(study):
    person = make_person("researcher")
    add_member(study, person, "researcher", None)
    return person


def secret_in(page):
    return re.search(r'<textarea id="secret"[^>]*>([^<]+)</textarea>', page)[1]


def test_a_token_is_shown_once_and_only_its_hash_is_kept(client, study, owner):
    client.force_login(owner)
    page = client.post(TOKENS, FORM).content.decode()
    secret = secret_in(page)
    assert len(secret) == 43
    token = Token.objects.get()
    assert (token.study, token.made_by, token.name, token.scope) == (study, owner, "nightly export", "read")
    assert token.token_hash == token_hash(secret)
    assert token.expires_at - timezone.now() > timedelta(days=29)
    again = client.get(TOKENS).content.decode()
    assert secret not in again
    assert "nightly export" in again
    kept = [*Token.objects.values(), *AuditEntry.objects.values()]
    assert secret not in repr(kept)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": ""}, "This field is required"),
        ({"scope": "everything"}, "Select a valid choice"),
        ({"days": "0"}, "greater than or equal to 1"),
        ({"days": "366"}, "less than or equal to 365"),
        ({"name": "x\x00"}, "Null characters are not allowed"),
    ],
)
def test_an_invalid_form_creates_no_token_and_says_why(client, study, owner, wrong, words):
    client.force_login(owner)
    response = client.post(TOKENS, FORM | wrong)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not Token.objects.exists()


@pytest.mark.thorough
def test_creating_and_revoking_are_audited(client, study, owner):
    client.force_login(owner)
    client.post(TOKENS, FORM)
    token = Token.objects.get()
    client.post(f"{TOKENS}{token.pk}/revoke/")
    made, ended = AuditEntry.objects.filter(action__startswith="token").order_by("pk")
    assert (made.action, made.actor.person, made.study, made.new["scope"]) == ("token created", owner, "study", "read")
    assert (ended.action, ended.actor.person, ended.subject) == ("token revoked", owner, f"token {token.pk}")


def test_the_page_says_that_a_token_is_revoked_and_does_not_revoke_it_twice(client, study, owner):
    token = open_token(issue_token(study, owner, name="one", scope="read"))
    client.force_login(owner)
    assert client.post(f"{TOKENS}{token.pk}/revoke/")["Location"] == TOKENS
    page = client.get(TOKENS).content.decode()
    assert "no longer have access" in page
    assert "revoked " in page
    assert "Revoke one" not in page
    client.post(f"{TOKENS}{token.pk}/revoke/")
    assert "has already been revoked" in client.get(TOKENS).content.decode()
    assert AuditEntry.objects.filter(action="token revoked").count() == 1


def test_researchers_revoke_their_own_tokens_and_owners_all(client, study, make_study, owner, researcher):
    theirs = open_token(issue_token(study, researcher, name="theirs", scope="write"))
    owners = open_token(issue_token(study, owner, name="owners", scope="write"))
    elsewhere = make_study("elsewhere")
    Membership.objects.create(study=elsewhere, person=researcher, role="owner")
    client.force_login(researcher)
    page = client.get(TOKENS).content.decode()
    assert "Revoke theirs" in page
    assert "Revoke owners" not in page
    assert client.post(f"{TOKENS}{owners.pk}/revoke/").status_code == 404
    assert client.post(f"/studies/elsewhere/tokens/{theirs.pk}/revoke/").status_code == 404
    assert client.post(f"{TOKENS}{theirs.pk}/revoke/").status_code == 302
    client.force_login(owner)
    assert client.post(f"{TOKENS}{owners.pk}/revoke/").status_code == 302
    assert Token.objects.filter(revoked_at=None).count() == 0


@pytest.mark.parametrize("end", ["expired", "revoked", "removed", "demoted", "deactivated"])
def test_a_token_stops_working_when_it_ends_or_its_maker_loses_the_right(study, owner, researcher, end):
    secret = issue_token(study, researcher, name="one", scope="read")
    token = open_token(secret)
    assert token.study == study
    membership = Membership.objects.get(person=researcher)
    if end == "expired":
        Token.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    elif end == "revoked":
        revoke_token(token, researcher)
    elif end == "removed":
        deactivate_member(membership, owner)
    elif end == "demoted":
        change_role(membership, "annotator", owner)
    else:
        type(researcher).objects.filter(pk=researcher.pk).update(is_active=False)
    assert open_token(secret) is None


def test_the_last_use_is_stored_once_per_minute(study, owner, django_assert_num_queries):
    secret = issue_token(study, owner, name="one", scope="read")
    note_use(open_token(secret))
    token = open_token(secret)
    first = token.last_used_at
    assert first is not None
    with django_assert_num_queries(0):
        note_use(token)
    Token.objects.update(last_used_at=first - timedelta(minutes=2))
    note_use(open_token(secret))
    assert Token.objects.get().last_used_at >= first


def test_the_list_needs_as_many_queries_for_many_tokens_as_for_one(client, study, owner, django_assert_num_queries):
    client.force_login(owner)
    issue_token(study, owner, name="one", scope="read")
    with CaptureQueriesContext(connection) as few:
        client.get(TOKENS)
    for number in range(5):
        issue_token(study, owner, name=f"number {number}", scope="write")
    with django_assert_num_queries(len(few)):
        client.get(TOKENS)


@pytest.mark.parametrize("wrong", [{"scope": "all"}, {"name": ""}])
def test_the_database_refuses_a_token_without_a_name_or_with_an_unknown_scope(study, owner, wrong):
    given = {"name": "one", "scope": "read"} | wrong
    with pytest.raises(IntegrityError), transaction.atomic():
        Token.objects.create(
            study=study, made_by=owner, token_hash="x", expires_at=timezone.now(), **given
        )  # fmt: skip
