"""Pages of sessions and of second ratings that a browser loads for the first time."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from config.background.claiming import run_waiting
from tests.browser.conftest import answers_to
from tests.browser.listwise.conftest import press
from tests.browser.test_first_visit import cold
from tests.sessions.conftest import folder, instruct, models, second_task, session, study  # noqa: F401 - fixtures


@pytest.mark.thorough
def test_a_cold_page_of_a_session_makes_few_requests_and_works(desk, session, collected):
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    address = desk.address + reverse("revision_sessions:session", args=[key])
    cold(desk, collected, lambda: desk.page.goto(address))
    desk.page.keyboard.press("i")
    expect(desk.page.locator("#instruction")).to_be_focused()


def test_a_cold_page_of_a_turn_to_be_rated_makes_few_requests_and_works(desk, session, collected):
    instruct(session, "Make it half as long.")
    run_waiting()
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    address = desk.address + reverse("revision_sessions:session", args=[key])
    cold(desk, collected, lambda: desk.page.goto(address))
    desk.page.keyboard.press("t")
    expect(desk.page.locator("#answer-changes")).to_be_hidden()
    desk.page.keyboard.press("d")
    expect(desk.page.locator("#answer-changes")).to_be_visible()


@pytest.mark.thorough
def test_a_cold_page_of_a_second_rating_makes_few_requests_and_works(new_desk, stranger, session, collected):
    desk, task = new_desk(stranger), second_task(session, stranger)
    cold(desk, collected, lambda: desk.open(task))
    press(desk.page, "d", "1", "c")
    expect(desk.page.locator("[data-shown=changes]")).to_be_visible()
    desk.page.keyboard.type("It did.")
    press(desk.page, "Control+Enter")
    desk.page.wait_for_url(lambda url: str(task.key) not in url)
    assert [row["answers"] for row in answers_to(task)] == [{"rating": "good", "comment": "It did."}]
