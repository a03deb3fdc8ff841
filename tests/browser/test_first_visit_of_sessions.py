"""A session's page that a browser loads for the first time."""

# ruff: noqa: F811 - the names of fixtures

from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from tests.browser.test_first_visit import MOST_REQUESTS, MOST_SCRIPT, cold
from tests.sessions.conftest import folder, models, session, study  # noqa: F401 - fixtures


def test_a_cold_page_of_a_session_makes_few_requests_and_works(desk, session, collected):
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    address = desk.address + reverse("revision_sessions:session", args=[key])
    asked, script = cold(desk, collected, lambda: desk.page.goto(address))
    assert len(asked) <= MOST_REQUESTS, asked
    assert script <= MOST_SCRIPT
    desk.page.keyboard.press("i")
    expect(desk.page.locator("#instruction")).to_be_focused()
