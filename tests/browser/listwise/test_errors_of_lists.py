"""Errors of questions about several outputs: the focus goes to the first output that is missing, nothing shifts."""

import re

import pytest
from playwright.sync_api import expect

from accounts.preferences import save_preferences
from tests.browser.listwise.conftest import QUESTIONS, press, tab
from tests.browser.test_room_for_errors import COVERED

EACH = {"key": "clear", "type": "binary", "per": "output", "text": "Is it clear?"}
WIDER = [(820, 1180), (2560, 1440)]


def sent(page):
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#message")).to_contain_text("still need")


@pytest.mark.thorough
def test_what_is_missing_and_what_comes_next_is_said_in_the_language_of_the_page(new_desk, rater, bring):
    save_preferences(rater, language="de")
    page = new_desk(rater).open(bring(questions=[QUESTIONS[0], EACH, QUESTIONS[2]]))
    press(page, *"a1b2c3d4e5")
    expect(page.locator("#announce")).to_contain_text("Weiter mit: Is it clear? offen")
    page.locator("#submit").click()
    expect(tab(page, "Is it clear?")).to_contain_text("fehlt")
    tab(page, "Errors of fact").click()
    press(page, "a", "w", "1", "Escape", "a", "w", "Backspace")
    expect(page.locator("#announce")).to_contain_text("Entfernt: The.")


@pytest.mark.thorough
def test_the_focus_goes_to_the_first_text_without_spans(new_desk, rater, bring):
    page = new_desk(rater).open(bring())
    press(page, *"a1b2c3d4e5", *"a1b2c3d4e5", "a", "x", "b", "w", "1", "Escape")
    sent(page)
    expect(tab(page, "Errors of fact")).to_contain_text("missing")
    expect(page.get_by_label("No error in C")).to_be_focused()
    for letter in "cde":
        press(page, letter, "x")
    expect(tab(page, "Errors of fact")).to_contain_text("done")
    expect(page.locator("#question-3-error")).to_have_class(re.compile("is-gone"))
    expect(tab(page, "Reason")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#message")).to_have_text("1 question still needs an answer. Your draft is saved.")


def test_the_focus_goes_to_the_first_output_that_a_question_lacks(new_desk, rater, bring):
    page = new_desk(rater).open(bring(questions=[QUESTIONS[0], EACH]))
    press(page, *"a1b2c3d4e5")
    tab(page, "Is it clear?").click()
    panel = page.locator("[data-panel]:visible")
    for number in (0, 2):
        panel.locator(".question").nth(number).get_by_label("Yes").check()
    sent(page)
    expect(panel.locator(".question").nth(1).locator("input").first).to_be_focused()
    for number in (1, 3, 4):
        panel.locator(".question").nth(number).get_by_label("No").check()
    expect(panel.locator(".field-error:visible")).to_have_count(0)
    expect(page.locator("#message")).to_have_text("")


ASKED = [
    {"key": "clear", "type": "likert", "min": 1, "max": 5, "per": "output", "text": "Is it clear?"},
    *QUESTIONS[2:],
]
PLACES = """() => [...document.querySelectorAll(
    "[data-panel]:not([hidden]) :is(.question, .choice, textarea, .limits), #answer, [data-scroll=output]"
)].map((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return JSON.stringify([x, y + scrollY, width, height].map(Math.round)); // the place on a page that scrolls
})"""


def places(page) -> list[list[str]]:
    """Where everything is that an error must not move, for each question."""
    found = []
    for one in ASKED:
        tab(page, one["text"]).click()
        page.locator("#answer").evaluate("node => (node.scrollTop = 0)")
        found.append(page.evaluate(PLACES))
    return found


@pytest.mark.parametrize(
    "size", [(390, 844), *(pytest.param(one, marks=pytest.mark.thorough) for one in [(1366, 768), *WIDER])]
)
def test_errors_take_the_place_of_what_the_tab_says_and_move_nothing(new_desk, rater, bring, size):
    page = new_desk(rater, viewport={"width": size[0], "height": size[1]}).open(bring(questions=ASKED))
    before = places(page)
    sent(page)
    assert places(page) == before
    if size == (390, 844):
        assert page.evaluate(COVERED) == []
    tab(page, "Is it clear?").click()
    first = page.locator("[data-panel]:visible .question").first
    expect(first.locator(".field-error")).to_be_in_viewport()
    expect(first.locator("bdi")).to_have_css("visibility", "hidden")
    expect(first.locator(".question-output")).to_have_css("visibility", "visible")
    expect(first).to_have_accessible_name("Is it clear? A")
    first.locator(".choice").first.click()
    expect(first.locator("bdi")).to_have_css("visibility", "visible")
    expect(first.locator(".field-error")).to_be_hidden()
