"""A ranking by keyboard and screen reader alone: letters and rows are buttons, and each step is said."""

import pytest
from playwright.sync_api import Page, expect

from accounts.preferences import save_preferences
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.listwise.conftest import SYSTEMS, press, rows, tab
from tests.fewer import first_cases

RANKED = [{"key": "overall", "type": "rank", "ranks": 5, "text": "Overall quality", "help": "1 is the best."}]
TWO = [*RANKED, {"key": "factual", "type": "rank", "ranks": 5, "text": "Factual consistency"}]
FOCUSED = """() => {
    const node = document.activeElement;
    return node.ariaLabel ?? node.labels?.[0]?.ariaLabel ?? node.textContent.replace(/\\s+/g, " ").trim();
}"""


def focused(page: Page) -> str:
    return page.evaluate(FOCUSED)


def said(page: Page, text: str) -> None:
    expect(page.locator("#announce")).to_contain_text(text)


def tab_to(page: Page, name: str) -> None:
    for _ in range(80):
        if focused(page) == name:
            return
        page.keyboard.press("Tab")
    pytest.fail(f"no way to {name}")


@pytest.fixture(params=first_cases(["on", "off"]))
def keys(request, rater) -> str:
    save_preferences(rater, keys_off=request.param == "off")
    return request.param


def test_letters_are_put_into_rows_by_enter_alone_and_each_step_is_said(new_desk, rater, bring, axe, keys):
    task = bring(questions=RANKED)
    page = new_desk(rater).open(task)
    tab_to(page, "A, unranked")
    press(page, "Enter")
    said(page, "Output A.")
    said(page, "Each row from 1 to 5 is a button now." if keys == "off" else "Press a row's number from 1 to 5")
    assert focused(page) == "Put A into row 1"
    assert findings(page, axe) == []
    press(page, "Tab", "Enter")
    said(page, "A: row 2. B, C, D, E left.")
    assert rows(page) == ["", "A", "", "", ""]
    assert focused(page) == "B, unranked"
    press(page, "Space", "Tab")
    assert focused(page) == "Put B into row 2, with A"
    press(page, "Space")
    said(page, "B: row 2, tied with A. C, D, E left.")
    for row in (3, 4, 5):
        press(page, "Enter", *["Tab"] * (row - 1), "Enter")
    said(page, "All")  # the last one ends the only question
    assert rows(page) == ["AB", "C", "D", "E", ""]
    saved(page)
    tab_to(page, "Submit and next ⏎")
    press(page, "Enter")
    moved_on(page, task)
    ranks = {SYSTEMS[place]: rank for place, rank in zip(task.order, (1, 1, 2, 3, 4), strict=True)}
    assert answers_to(task)[0]["answers"] == {"overall": ranks}


def test_a_letter_is_let_go_moved_and_taken_off_again(new_desk, rater, bring, keys):
    page = new_desk(rater).open(bring(questions=RANKED))
    tab_to(page, "A, unranked")
    press(page, "Enter", "Escape")
    said(page, "Output A is no longer chosen.")
    assert focused(page) == "A, unranked"
    expect(page.locator("[data-put]")).to_have_count(0)
    press(page, "Enter", "Tab", "Tab", "Enter")
    assert rows(page) == ["", "", "A", "", ""]
    tab_to(page, "A, row 3")
    press(page, "Enter")
    assert focused(page) == "Put A into row 3"
    press(page, "Shift+Tab", "Shift+Tab", "Enter")
    assert rows(page) == ["A", "", "", "", ""]
    tab_to(page, "A, row 1")
    press(page, "Enter", "Shift+Tab")
    assert focused(page) == "Take A off the board"
    press(page, "Enter")
    said(page, "A: unranked.")
    assert rows(page) == [""] * 5


def test_outputs_are_ranked_by_numbers(new_desk, rater, bring, axe, keys):
    task = bring(questions=RANKED)
    page = new_desk(rater).open(task)
    tab_to(page, "Rank by numbers")
    press(page, "Enter")
    said(page, "Each output has a field for its number. 1 is best.")
    expect(page.locator("[data-board]")).to_be_hidden()
    assert findings(page, axe) == []
    fields = [page.get_by_label(f"{letter}: rank, 1 is best") for letter in "ABCDE"]
    fields[0].focus()
    for number in "24455":
        press(page, number, "Tab")
    said(page, "E: row 3, tied with D. Empty rows closed up. All ranked.")
    for field, rank in zip(fields, "12233", strict=True):
        expect(field).to_have_value(rank)
    fields[1].fill("9")
    press(page, "Tab")
    said(page, "Choose a row from 1 to 5.")
    fields[1].fill("2")
    press(page, "Tab")
    saved(page)
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    ranks = {SYSTEMS[place]: rank for place, rank in zip(task.order, (1, 2, 2, 3, 3), strict=True)}
    assert answers_to(task)[0]["answers"] == {"overall": ranks}
    expect(page.get_by_label("A: rank, 1 is best")).to_be_visible()  # also for the next task
    page.get_by_role("button", name="Rank by numbers").click()
    expect(page.locator("[data-board]")).to_be_visible()


def test_after_the_last_letter_the_focus_is_on_the_next_question(new_desk, rater, bring, keys):
    page = new_desk(rater).open(bring(questions=TWO))
    tab_to(page, "A, unranked")
    for row in range(1, 6):
        press(page, "Enter", *["Tab"] * (row - 1), "Enter")
    said(page, "Next: Factual consistency")
    expect(tab(page, "Factual consistency")).to_be_focused()


def test_how_to_rank_describes_the_question_and_keys_are_said_when_a_letter_is_chosen(new_desk, rater, bring):
    page = new_desk(rater).open(bring(questions=RANKED))
    expect(page.locator("#question-1")).to_have_accessible_description(
        "1 is the best. Press a letter, then a row, or drag it there. Row 1 is best; letters in one row are tied."
    )
    press(page, "c")
    said(page, "Arrows up and down move the letter, Backspace takes it off.")
    press(page, "2")
    said(page, "C: row 2.")


def test_no_letter_moves_when_rows_become_buttons(new_desk, rater, bring):
    page = new_desk(rater).open(bring(questions=RANKED))
    press(page, *"a2b2")
    places = [page.locator(f"[data-chip={letter}]").bounding_box() for letter in "AB"]
    press(page, "c")
    expect(page.locator("[data-put='2']")).to_be_visible()
    assert [page.locator(f"[data-chip={letter}]").bounding_box() for letter in "AB"] == places


def test_numbers_are_offered_after_a_draft_was_restored(new_desk, rater, bring):
    page = new_desk(rater).open(bring(questions=RANKED))
    page.evaluate("document.querySelector('#answer').dispatchEvent(new CustomEvent('desk:filled'))")
    page.get_by_role("button", name="Rank by numbers").click()
    expect(page.locator("[data-board]")).to_be_hidden()
