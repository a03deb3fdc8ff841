"""Windows so low that the page scrolls: what says where a match is stays above the actions."""

import pytest

from tests.fewer import first_cases

COVERED = """() => {
    const actions = document.querySelector(".desk-actions").getBoundingClientRect();
    return [...document.querySelectorAll(".places, .places-steps")]
        .filter((one) => one.checkVisibility() && one.textContent.trim())
        .filter((one) => one.getBoundingClientRect().bottom > actions.top + 1).length;
}"""


@pytest.mark.parametrize(("width", "height"), first_cases([(683, 384), (320, 422), (360, 640), (390, 700)]))
def test_where_a_match_is_stays_above_the_actions(new_desk, rater, task, width, height):
    desk = new_desk(rater, viewport={"width": width, "height": height})
    desk.open(task)
    desk.page.locator("#common").click()
    desk.page.locator(".places:not(:empty)").wait_for()
    assert desk.page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert desk.page.evaluate(COVERED) == 0
