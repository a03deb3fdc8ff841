"""Axe finds nothing on the pages of sessions."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from playwright.sync_api import expect

from config.background.claiming import run_waiting
from llm.call_errors import UnreachableError
from tests.browser.accessibility import findings
from tests.browser.test_sessions import LONG, address, written
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401 - fixtures


def test_axe_finds_nothing_on_a_session_that_begins_and_on_the_edit_of_its_turn(new_desk, rater, session, models, axe):
    desk = new_desk(rater, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    desk.page.goto(desk.address + address(session))
    assert findings(desk.page, axe) == []
    models.script = [LONG]
    turned(session, "Longer.", "bad")
    desk.page.goto(desk.address + address(session) + "?edit=1")
    assert findings(desk.page, axe) == []


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_serious_on_the_pages_of_a_session(new_desk, rater, owner, session, models, axe, size):
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
    desk = new_desk(rater, **options)
    page = desk.page

    def clean():
        assert findings(page, axe) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]

    page.goto(desk.address + "/studies/revising/sessions/welcome/")
    clean()
    page.goto(desk.address + address(session))
    clean()
    page.locator("#submit").click()
    page.locator("#kind-error").wait_for()
    clean()
    models.script = [LONG, UnreachableError("No."), LONG.replace("winter", "summer")]
    turned(session, "Longer.", "bad")
    for query in ("", "?edit=1", "?send=1", "?view=changes", "?view=sources"):
        page.goto(desk.address + address(session) + query)
        clean()
    page.goto(desk.address + address(session))
    page.locator("#instruction").fill("Again.")
    page.locator("label", has_text="Only style").click()
    page.locator("#submit").click()
    expect(page.locator("#desk")).to_have_attribute("data-due", "writing")
    clean()
    run_waiting()
    expect(page.locator("#desk")).to_have_attribute("data-due", "failed")
    clean()
    page.locator("#submit").click()
    written(page)
    clean()
    office = new_desk(owner, **options)
    page = office.page
    for path in ("sessions/", f"sessions/{session.pk}/"):
        page.goto(f"{office.address}/studies/revising/{path}")
        clean()
