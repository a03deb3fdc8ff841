"""Errors of questions about several outputs: the focus goes to the first output that is missing."""

import re

from playwright.sync_api import expect

from tests.browser.listwise.conftest import QUESTIONS, press, tab

EACH = {"key": "clear", "type": "binary", "per": "output", "text": "Is it clear?"}


def sent(page):
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#message")).to_contain_text("still need")


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
