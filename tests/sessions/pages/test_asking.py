"""The link from a session to its messages."""

import pytest
from django.urls import reverse

from sessions import steps
from tests.sessions.conftest import turned

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


def test_people_ask_about_a_session_where_they_work_and_after_it(client, session, rater):
    client.force_login(rater)
    key = rater.raters.get().assignments.get(task=session.task).key
    page = reverse("revision_sessions:session", args=[key])
    ask = f"/studies/revising/my-messages/{key}/"
    assert f'id="ask-link" href="{ask}"' in client.get(page).content.decode()
    thread = client.post(ask, {"text": "May I use another paper?"}, follow=True).content.decode()
    assert "May I use another paper?" in thread
    assert session.item.content["question"] in thread
    turned(session, "Shorter.", "good")
    steps.finish(session)
    assert f'href="{ask}"' in client.get(page).content.decode()
