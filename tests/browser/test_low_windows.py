"""Windows so low that the page scrolls: what says where a match is stays above the actions."""

import pytest

from accounts.preferences import save_preferences
from tests.fewer import first_cases

COVERED = """() => {
    const actions = document.querySelector(".desk-actions").getBoundingClientRect();
    return [...document.querySelectorAll(".places, .places-steps")]
        .filter((one) => one.checkVisibility() && one.textContent.trim())
        .filter((one) => one.getBoundingClientRect().bottom > actions.top + 0.5).length;
}"""


@pytest.mark.parametrize(
    ("language", "width", "height"),
    first_cases([("en", 683, 384), ("de", 320, 422), ("en", 320, 422), ("de", 360, 640), ("es", 320, 422)], kept=2),
)
def test_where_a_match_is_stays_above_the_actions(new_desk, rater, task, language, width, height):
    save_preferences(rater, language=language)  # the actions take two lines in German
    desk = new_desk(rater, viewport={"width": width, "height": height})
    desk.open(task)
    desk.page.locator("#common").click()
    desk.page.locator(".places:not(:empty)").wait_for()
    assert desk.page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert desk.page.evaluate(COVERED) == 0
