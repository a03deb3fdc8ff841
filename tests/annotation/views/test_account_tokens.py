"""The page of a person's own tokens: made for what they may do, shown once, and revoked."""

import re

import pytest
from django.test import Client

from annotation.access import open_token
from annotation.models import Membership, Token

PAGE = "/my-settings/tokens/"


@pytest.fixture
def browser(client, owner, study):
    client.force_login(owner)
    return client


def secret_on(response):
    return re.search(r'<textarea id="secret"[^>]*>([^<]+)<', response.content.decode())[1]


def make(browser, **fields):
    return browser.post(PAGE, {"name": "copy", "scope": "read", "days": "30", **fields})


def test_a_token_is_shown_once_and_lists_what_it_opens(browser, owner, study):
    secret = secret_on(make(browser, opens="named", studies=["study"]))
    token = open_token(secret)
    assert [one.study for one in token.opened.all()] == [study]
    page = browser.get(PAGE).content.decode()
    assert secret not in page
    assert "A study" in page
    assert open_token(secret_on(make(browser, opens="all", scope="write"))).writes
    browser.post(f"{PAGE}{token.pk}/revoke/")
    assert open_token(secret) is None


def test_only_what_the_person_may_do_is_offered(browser, owner, rater, stranger, study):
    assert make(browser, opens="all", scope="write", makes_studies="on").status_code == 200
    assert not Token.objects.get().makes_studies
    owner.is_staff = True
    owner.save()
    assert make(browser, opens="all", makes_studies="on").status_code == 422
    assert make(browser, opens="named").status_code == 422
    assert make(browser, opens="tasks").status_code == 422
    assert open_token(secret_on(make(browser, opens="all", scope="write", makes_studies="on"))).makes_studies
    theirs = Client()
    theirs.force_login(rater)
    token = open_token(secret_on(theirs.post(PAGE, {"name": "n", "opens": "tasks", "tasks_of": "study", "days": "1"})))
    assert (token.scope, token.study, token.made_by) == ("annotate", study, rater)
    assert theirs.post(PAGE, {"name": "n", "opens": "all", "scope": "read", "days": "1"}).status_code == 422
    theirs.force_login(stranger)
    assert "There is nothing yet" in theirs.get(PAGE).content.decode()
    assert theirs.post(f"{PAGE}{token.pk}/revoke/").status_code == 404


def test_a_token_to_annotate_ends_with_the_membership(rater, study, client):
    client.force_login(rater)
    secret = secret_on(client.post(PAGE, {"name": "n", "opens": "tasks", "tasks_of": "study", "days": "1"}))
    assert open_token(secret)
    Membership.objects.filter(person=rater).update(role="researcher")
    assert open_token(secret) is None
