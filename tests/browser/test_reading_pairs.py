"""Reading two outputs side by side: columns, scrolling, room for the document, keys."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from playwright.sync_api import expect

from tests.browser.test_pairwise import LONG, column, first, pair_study, scrolled  # noqa: F401 - fixtures

pytestmark = pytest.mark.thorough


def test_arrows_move_within_another_question_that_has_the_focus(desk, pair_study, first):
    page = desk.open(first(pair_study()))
    page.keyboard.press("ArrowLeft")
    page.locator("#question-2 input").first.check()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#question-2 :checked")).to_have_value("2")
    expect(page.locator("#question-1 :checked")).to_have_value("A")


def test_texts_that_are_the_same_are_pointed_out(desk, pair_study, first):
    page = desk.open(first(pair_study(("The same.", "The same."))))
    expect(page.locator("#same")).to_have_text("Both texts are identical.")


def test_the_columns_have_the_same_width_and_scroll_together_or_apart(desk, pair_study, first):
    page = desk.open(first(pair_study((LONG, LONG + LONG))))
    left, right = column(page, "A"), column(page, "B")
    boxes = [one.locator(".reading").bounding_box()["width"] for one in (left, right)]
    assert boxes[0] == boxes[1]
    place = "node => node.scrollTop / (node.scrollHeight - node.clientHeight)"
    left.evaluate("node => node.scrollTop = (node.scrollHeight - node.clientHeight) / 2")
    scrolled(right)
    assert abs(right.evaluate(place) - left.evaluate(place)) < 0.02
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Scroll together")).to_have_attribute("aria-pressed", "false")
    stood = left.evaluate("node => node.scrollTop")
    right.evaluate("node => node.scrollTop = 0")
    expect(right).to_have_js_property("scrollTop", 0)
    assert left.evaluate("node => node.scrollTop") == stood
    page.keyboard.press("PageDown")
    scrolled(right)


def test_a_long_document_can_have_more_room_and_the_texts_stay_in_sight(desk, pair_study, first):
    page = desk.open(first(pair_study((LONG, LONG), document=LONG)))
    document, left = page.locator("#brief"), column(page, "A")
    before = document.bounding_box()["height"]
    assert left.bounding_box()["height"] > 150
    page.keyboard.press("l")
    assert document.bounding_box()["height"] > before
    assert left.bounding_box()["height"] > 150
    page.get_by_role("button", name="Document").click()
    assert document.bounding_box()["height"] == before


def test_down_scrolls_a_text_that_has_the_focus_and_answers_elsewhere(desk, pair_study, first):
    page = desk.open(first(pair_study((LONG, LONG))))
    column(page, "A").focus()
    page.keyboard.press("ArrowDown")
    scrolled(column(page, "A"))
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    page.locator("#task").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#question-1 :checked")).to_have_value("tie")
