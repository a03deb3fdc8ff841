"""Pages with very long answers: they show what they can, and leave the rest to a click."""

import pytest
from django.urls import reverse

from sessions.pages import session_overview
from tests.sessions.conftest import turned


@pytest.fixture
def overview(client, owner, session):
    """A researcher's page of a session with two turns; a function that fetches it."""
    turned(session, "Shorter.", "neutral")
    turned(session, "Longer.", "good")
    client.force_login(owner)
    address = reverse("revision_sessions:overview", args=["revising", session.pk])
    return lambda query="": client.get(address + query).content.decode()


def test_researchers_see_what_changed_in_every_turn(overview):
    page = overview()
    assert page.count("<summary>Changes</summary>") == 2
    assert "Show changes" not in page


def test_changes_beyond_the_page_s_limit_are_shown_on_request(overview, monkeypatch):
    monkeypatch.setattr(session_overview, "MOST_COMPARED", 30)
    page = overview()
    assert page.count("<summary>Changes</summary>") == 1
    assert '<a href="?changes=2#turn-2">Show changes</a>' in page
    assert overview("?changes=2").count("<summary>Changes</summary>") == 2
    assert overview("?changes=x").count("<summary>Changes</summary>") == 1


def test_the_edit_field_takes_answers_as_long_as_the_server_does(client, rater, session):
    turned(session, "Shorter.", "neutral")
    client.force_login(rater)
    address = reverse("revision_sessions:session", args=[session_key(session)])
    assert 'maxlength="200000"' in client.get(f"{address}?edit=1").content.decode()


def session_key(session):
    return session.task.assignments.get(rater=session.rater).key
