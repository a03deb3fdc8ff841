"""The desk by axe-core, in light and dark, in every state that it has."""

import pytest

from tests.browser.accessibility import findings
from tests.browser.conftest import saved


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_desk(new_desk, rater, task, axe, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = desk.open(task)
    assert findings(page, axe) == []
    page.keyboard.press("h")
    page.keyboard.press("w")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    saved(page)
    assert findings(page, axe) == []
    page.keyboard.press("Enter")
    page.locator("#question-2 .field-error").wait_for()
    assert findings(page, axe) == []
    page.keyboard.press("s")
    assert findings(page, axe) == []
    page.keyboard.press("Escape")
    page.locator("#tab-output").evaluate("node => node.focus()")
    page.keyboard.press("?")
    assert findings(page, axe) == []
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.locator("#guidelines-body em").wait_for()
    assert findings(page, axe) == []


def test_the_colours_follow_the_choice_and_stay_chosen(desk, task):
    page = desk.open(task)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark


def test_everything_is_in_view_on_a_laptop(desk, task):
    page = desk.open(task)
    for selector in ("#question-1", "#question-2", "#question-3", "#submit", "[data-text=output]", ".instruction"):
        box = page.locator(selector).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 768
