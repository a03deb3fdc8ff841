"""The small bar with labels beside what is selected: it takes whole words, closes, and leaves keys to the page."""

import pytest
from playwright.sync_api import expect

from tests.browser.listwise.conftest import letter_of, press, tab, word_box

BAR = "[data-span-bar]"


@pytest.fixture
def marking(new_desk, rater, bring):
    """The page with the question about spans on view, and the letter of an output."""
    task = bring()
    page = new_desk(rater).open(task)
    tab(page, "Errors of fact").click()
    return page, letter_of(task, "system-south")


def marked(page, letter):
    return page.locator(f"[data-marked={letter}] .marked-entry")


def sweep(page, letter, first, last):
    """Select with the mouse from the middle of a word to the middle of another."""
    start, end = word_box(page, letter, first), word_box(page, letter, last)
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move(end["x"], end["y"], steps=4)
    page.mouse.up()
    expect(page.locator(BAR)).to_be_visible()


def test_a_selection_takes_whole_words(marking):
    page, letter = marking
    sweep(page, letter, "sails", "opens")
    expect(page.locator("[data-quote]")).to_have_text("sails at ten, and the cafe\u0301 opens")
    assert page.evaluate("document.getSelection().toString()") == "sails at ten, and the cafe\u0301 opens"
    press(page, "1")
    expect(marked(page, letter)).to_contain_text("“sails at ten, and the cafe\u0301 opens”")


def test_a_label_closes_the_bar_and_a_later_digit_changes_nothing(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "1")
    expect(page.locator(BAR)).to_be_hidden()
    press(page, "2")
    expect(marked(page, letter)).to_contain_text("wrong")
    press(page, "]")
    expect(tab(page, "Reason")).to_have_attribute("aria-selected", "true")


def test_a_note_has_a_key_of_its_own(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "2", "n")
    expect(page.locator("[data-note]")).to_be_focused()
    page.keyboard.type("No 1 says so.")
    press(page, "Enter")
    expect(page.locator(BAR)).to_be_hidden()
    expect(marked(page, letter)).to_contain_text("invented")
    expect(marked(page, letter)).to_contain_text("No 1 says so.")


@pytest.mark.thorough
def test_a_key_of_the_page_closes_an_open_bar_and_works(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "[")
    expect(page.locator(BAR)).to_be_hidden()
    expect(tab(page, "Factual consistency")).to_have_attribute("aria-selected", "true")


@pytest.mark.thorough
def test_a_click_on_a_span_opens_the_bar_to_change_it(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "1")
    marked(page, letter).click()
    expect(page.locator(BAR).get_by_role("button", name="wrong")).to_have_attribute("aria-pressed", "true")
    press(page, "2")
    expect(page.locator(BAR)).to_be_hidden()
    expect(marked(page, letter)).to_contain_text("invented")
    marked(page, letter).click()
    press(page, "Delete")
    expect(marked(page, letter)).to_have_count(0)
