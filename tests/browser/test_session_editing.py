"""The field with a session's answer: it is in the answer's pane and belongs to the form of the step below."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from sessions.models import Turn
from tests.browser.conftest import saved
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401 - fixtures

MINE = "The ferry sails at nine, as the timetable says [0]."


@pytest.fixture
def editing(desk, session):
    """The page on which the answer of a turn that was rated neutral is edited."""
    turned(session, "Shorter.", "neutral")
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    desk.page.goto(desk.address + reverse("revision_sessions:session", args=[key]))
    desk.page.get_by_role("link", name="Edit the answer").click()
    expect(desk.page.locator("#edit")).to_be_focused()
    return desk.page


def test_an_edited_answer_is_drafted_while_it_is_typed(editing, session):
    with editing.expect_response("**/draft/"):
        editing.locator("#edit").fill(MINE)
    saved(editing)
    drafts = Assignment.objects.filter(task=session.task_id).values_list("draft", flat=True)
    assert [draft["q-:edit"] for draft in drafts] == [[MINE]]
    editing.reload()
    expect(editing.locator("#edit")).to_have_value(MINE)


@pytest.mark.thorough
def test_an_edited_answer_survives_a_tab_closed_offline(desk, editing):
    desk.context.set_offline(True)
    editing.locator("#edit").fill(MINE)
    expect(editing.locator("#state")).to_have_text("offline, saved in this browser")
    address = editing.url
    editing.close()
    desk.context.set_offline(False)
    page = desk.tab()
    page.goto(address)
    expect(page.locator("#edit")).to_have_value(MINE)
    saved(page)


def test_escape_leaves_the_field_of_the_answer_and_its_keys_work(editing):
    editing.locator("#edit").fill(MINE)
    editing.keyboard.press("Escape")
    expect(editing.locator("#edit")).not_to_be_focused()
    editing.keyboard.press("e")
    expect(editing.locator("#instruction")).to_be_visible()
    editing.keyboard.press("e")
    expect(editing.locator("#edit")).to_have_value(MINE)
    editing.keyboard.press("Control+Enter")
    expect(editing.locator("#step-help")).to_contain_text("with your edit")
    assert Turn.objects.get(number=1).edited_answer == MINE
