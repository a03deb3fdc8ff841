"""The session's data say who is signed in; the person column of its row only saves a query."""

import pytest

from accounts.browser_sessions import SessionStore
from accounts.models import BrowserSession


@pytest.mark.parametrize("column", ["other", "nobody"])
def test_the_data_of_a_session_decide_over_its_person_column(client, owner, rater, column):
    client.force_login(owner)
    row = BrowserSession.objects.filter(pk=client.session.session_key)
    assert row.get().person == owner
    row.update(person=rater if column == "other" else None)
    assert client.get("/").wsgi_request.user == owner


def test_a_session_that_has_ended_has_no_person(client, owner):
    client.force_login(owner)
    store = SessionStore(client.session.session_key)
    store.load()
    assert store.person == owner
    BrowserSession.objects.all().delete()
    store.load()
    assert (store.person, store.session_key) == (None, None)
