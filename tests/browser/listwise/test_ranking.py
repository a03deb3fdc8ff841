"""Outputs are ranked by mouse, by keys, in tabs and without scripts."""

import json

import pytest
from playwright.sync_api import expect

from annotation.models import Study
from files.reading import import_study
from files.writing import export_study
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.listwise.conftest import SYSTEMS, TEXTS, drag, letter_of, press, rows, tab, word_box
from tests.browser.test_room_to_read import demo_task
from tests.files.writing.conftest import bytes_of, empty_the_database


def test_a_task_is_rated_by_mouse_and_comes_back_from_its_files_the_same(new_desk, rater, bring, tmp_path):
    task = bring()
    desk = new_desk(rater)
    page = desk.open(task)
    for letter, row in zip("ABCDE", (1, 2, 2, 3, 4), strict=True):
        drag(page, letter, f"[data-tier='{row}']")
    expect(tab(page, "Overall quality")).to_contain_text("done")
    tab(page, "Factual consistency").click()
    page.locator("[data-panel]:visible").get_by_role("button", name="Copy from “Overall quality”").click()
    assert rows(page) == ["A", "BC", "D", "E", ""]
    tab(page, "Errors of fact").click()
    wrong = letter_of(task, "system-south")
    box = word_box(page, wrong, "ten")
    page.mouse.dblclick(box["x"], box["y"])
    bar = page.locator("[data-span-bar]")
    bar.get_by_role("button", name="wrong").click()
    page.keyboard.press("n")
    bar.get_by_label("Note").fill("It is nine.")
    bar.get_by_label("Note").press("Enter")
    expect(page.locator(f"[data-marked={wrong}]")).to_contain_text("“ten”")
    expect(page.locator(f"[data-marked={wrong}]")).to_contain_text("It is nine.")
    for letter in "ABCDE":
        if letter != wrong:
            page.get_by_label(f"No error in {letter}").check()
    tab(page, "Reason").click()
    page.get_by_role("textbox", name="Reason").fill("Nine is right.")
    expect(page.locator(".word-count")).to_have_text("3 words")
    expect(page.locator(".dimension[data-kind=done]")).to_have_count(4)
    saved(page)
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)

    [answer] = answers_to(task)
    shown = [SYSTEMS[place] for place in task.order]
    ranks = dict(zip(shown, (1, 2, 2, 3, 4), strict=True))
    start = TEXTS[1].index("ten")
    span = {"output": "system-south", "start": start, "end": start + 3, "text": "ten", "label": "wrong"}
    assert answer["answers"] == {
        "overall": ranks,
        "factual": ranks,
        "errors": {"spans": [span | {"note": "It is nine."}], "none": [one for one in shown if one != "system-south"]},
        "reason": "Nine is right.",
    }
    export_study(Study.objects.get(), tmp_path / "out")
    desk.context.set_offline(True)  # a page's last words would meet the next database
    first = bytes_of(tmp_path / "out")
    empty_the_database()
    export_study(import_study(tmp_path / "out").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == first
    assert json.loads(first["annotations.jsonl"])["answers"] == answer["answers"]


def test_a_task_is_rated_by_keyboard_alone(new_desk, rater, bring):
    task = bring()
    page = new_desk(rater).open(task)
    press(page, *"a1b2c2d3e4")  # the next question comes by itself
    press(page, *"a5b4c3d2e1")
    marked = letter_of(task, "system-south")
    press(page, marked.lower(), "w", "ArrowRight", "ArrowRight", "2")
    press(page, "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "1", "Escape")
    for letter in "ABCDE":
        if letter != marked:
            press(page, letter.lower(), "x")
    expect(tab(page, "Errors of fact")).to_contain_text("done")
    press(page, "r")
    page.keyboard.type("Because of ten.")
    press(page, "Escape")
    saved(page)
    press(page, "Enter")
    moved_on(page, task)
    [answer] = answers_to(task)
    keys = [SYSTEMS[place] for place in task.order]
    assert answer["answers"]["overall"] == dict(zip(keys, (1, 2, 2, 3, 4), strict=True))
    assert answer["answers"]["factual"] == dict(zip(keys, (5, 4, 3, 2, 1), strict=True))
    assert [(span["text"], span["label"]) for span in answer["answers"]["errors"]["spans"]] == [
        ("👩🏽‍✈️", "invented"), ("ten,", "wrong"),
    ]  # fmt: skip
    assert answer["answers"]["reason"] == "Because of ten."
    assert answer["tool_use"]["word_cursor"] == 1


@pytest.mark.thorough
def test_rows_that_are_empty_close_up_when_all_are_ranked_and_it_is_said(new_desk, rater, bring):
    page = new_desk(rater).open(bring())
    press(page, *"a2b4c4d5")
    assert rows(page) == ["", "A", "", "BC", "D"]
    press(page, "e", "5")
    expect(page.locator("#announce")).to_contain_text("Empty rows closed up. All ranked. Next: Factual consistency")
    press(page, "[")
    assert rows(page) == ["A", "BC", "DE", "", ""]
    expect(page.locator("[data-panel]:visible [data-said]")).to_have_text(
        "E: row 3, tied with D. Empty rows closed up. All ranked."
    )
    press(page, "e", "ArrowDown")
    assert rows(page) == ["A", "BC", "D", "E", ""]
    press(page, "ArrowUp")
    assert rows(page) == ["A", "BC", "DE", "", ""]
    drag(page, "C", "[data-gap='1']")
    assert rows(page) == ["C", "A", "B", "DE", ""]
    drag(page, "A", "[data-pool]")
    expect(tab(page, "Overall quality")).to_contain_text("4 of 5")
    saved(page)


def test_a_click_on_a_chip_and_one_on_a_row_put_it_there(new_desk, rater, bring):
    task = bring()
    desk = new_desk(rater, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = desk.open(task)
    page.locator("[data-panel]:visible [data-chip=B]").tap()
    page.locator("[data-panel]:visible [data-tier='2'] .tier-number").tap()
    assert rows(page) == ["", "B", "", "", ""]
    expect(page.locator("#card-B [data-rank]")).to_have_text("row 2")
    expect(page.get_by_role("button", name="Submit and next")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("tab", name="Document").tap()
    expect(page.locator("[data-text=document]")).to_be_visible()
    saved(page)


def test_a_finger_puts_a_letter_between_two_rows_also_beside_their_letters(new_desk, rater, bring):
    page = new_desk(rater, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).open(bring())
    for letter, row in zip("ABC", (1, 2, 3), strict=True):
        page.locator(f"[data-panel]:visible [data-chip={letter}]").tap()
        page.locator(f"[data-panel]:visible [data-tier='{row}'] .tier-number").tap()
    page.locator("[data-panel]:visible [data-chip=D]").tap()
    beside = page.locator("[data-panel]:visible [data-chip=B]").bounding_box()
    gap = page.locator("[data-panel]:visible [data-gap='2']").bounding_box()
    page.touchscreen.tap(beside["x"] + beside["width"] / 2, gap["y"] + gap["height"] / 2)
    assert rows(page) == ["A", "D", "B", "C", ""]


def test_if_ties_are_off_the_output_that_has_the_rank_moves_down(new_desk, rater, bring):
    questions = [{"key": "overall", "type": "rank", "ranks": 5, "text": "Overall quality", "allow_ties": False}]
    task = bring(questions=questions)
    page = new_desk(rater).open(task)
    press(page, *"a1b1c1d5e5")
    assert rows(page) == ["C", "B", "A", "D", "E"] or rows(page) == ["C", "B", "A", "E", "D"]
    press(page, "Enter")
    moved_on(page, task)
    assert sorted(answers_to(task)[0]["answers"]["overall"].values()) == [1, 2, 3, 4, 5]


def test_submit_says_what_is_missing_and_goes_there_with_all_kept(new_desk, rater, bring):
    task = bring()
    page = new_desk(rater).open(task)
    press(page, *"a1b2c3d4e5", *"a1b1", "r")
    page.keyboard.type("Too short")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#message")).to_contain_text("3 questions still need an answer")
    expect(tab(page, "Factual consistency")).to_have_attribute("aria-selected", "true")
    expect(page.locator("[data-panel]:visible .field-error")).to_have_text(
        "This answer leaves out C, D and E: every output needs a rank."
    )
    assert rows(page)[0] == "AB"
    assert page.evaluate("document.activeElement.dataset.chip") is not None
    expect(tab(page, "Reason")).to_contain_text("missing")
    press(page, *"c2d3e4")
    expect(page.locator("[data-panel]:visible .field-error")).to_have_text("This question needs an answer.")
    for letter in "abcde":
        press(page, letter, "x")
    press(page, "r", "End")
    page.keyboard.type(" no more")
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"]["reason"] == "Too short no more"


@pytest.mark.thorough
def test_a_reload_and_going_back_show_ranks_and_marks_again(new_desk, rater, bring):
    task = bring()
    page = new_desk(rater).open(task)
    press(page, *"a1b2", "]", "]", "a", "w", "1", "Escape", "b", "x")
    saved(page)
    page.reload()
    assert rows(page) == ["A", "B", "", "", ""]
    tab(page, "Errors of fact").click()
    expect(page.locator("#card-A mark.span")).to_have_count(1)
    expect(page.get_by_label("No error in B")).to_be_checked()
    expect(page.get_by_label("No error in A")).to_be_disabled()
    page.locator("[data-marked=A] .marked-entry").click()
    page.locator("[data-span-bar]").get_by_role("button", name="Remove").click()
    expect(page.locator("#card-A mark.span")).to_have_count(0)
    expect(page.get_by_label("No error in A")).to_be_enabled()
    saved(page)


def test_two_tabs_show_both_rankings_and_the_chosen_one_is_on_the_board(new_desk, rater, bring):
    task = bring()
    desk = new_desk(rater)
    one = desk.open(task)
    other = desk.open(task, desk.tab())
    press(one, *"a1b2", "]", "]", "a", "w", "2", "Escape")
    saved(one)
    press(other, *"a3")
    versions = other.locator("#versions")
    expect(versions.locator("[data-version=mine]")).to_contain_text("A 3")
    expect(versions.locator("[data-version=theirs]")).to_contain_text("A 1, B 2")
    expect(versions.locator("[data-version=theirs]")).to_contain_text("“")
    versions.get_by_role("button", name="Keep the other version").click()
    assert rows(other) == ["A", "B", "", "", ""]
    expect(other.locator("#card-A mark.span")).to_have_count(1)
    saved(other)


def test_two_outputs_are_pinned_side_by_side_with_their_differences_and_twins_are_said(new_desk, rater, bring):
    task = bring()
    page = new_desk(rater).open(task)
    north, west, south = (letter_of(task, f"system-{name}") for name in ("north", "west", "south"))
    expect(page.locator(f"#card-{north}")).to_contain_text(f"Same text as {west}")
    expect(page.locator(f"#card-{west}")).to_contain_text(f"Same text as {north}")
    press(page, north.lower(), "v", south.lower(), "v")
    boxes = [page.locator(f"#card-{letter}").bounding_box() for letter in (north, south)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert page.locator(f"#card-{south} mark.difference").all_inner_texts() != []
    press(page, south.lower(), "v", west.lower(), "v")
    expect(page.locator("[data-compared]")).to_contain_text("have the same words")
    expect(page.locator("mark.difference")).to_have_count(0)
    page.get_by_role("button", name="Short cards").click()
    expect(page.locator(".card-output.is-short")).to_have_count(5)


@pytest.mark.thorough
def test_without_scripts_outputs_are_ranked_by_number_and_no_error_can_be_said(new_desk, rater, bring):
    task = bring()
    desk = new_desk(rater, java_script_enabled=False)
    page = desk.open(task)
    expect(page.get_by_text("Marking spans needs JavaScript.")).to_be_visible()
    for question in ("#question-1", "#question-2"):
        for letter, rank in zip("ABCDE", "13355", strict=True):
            page.locator(question).get_by_label(f"{letter}: rank, 1 is best").fill(rank)
    for letter in "ABCDE":
        page.get_by_label(f"No error in {letter}").check()
    page.get_by_role("textbox", name="Reason").fill("One two")
    page.locator("#submit").click()
    expect(page.locator("#question-4 .field-error")).to_contain_text("at least 3 words")
    expect(page.locator("#question-1").get_by_label("C: rank, 1 is best")).to_have_value("3")
    page.get_by_role("textbox", name="Reason").fill("One two three")
    page.locator("#submit").click()
    [answer] = answers_to(task)
    keys = [SYSTEMS[place] for place in task.order]
    assert answer["answers"]["overall"] == dict(zip(keys, (1, 2, 2, 3, 3), strict=True))
    assert answer["answers"]["errors"] == {"spans": [], "none": keys}


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_page(new_desk, rater, bring, axe, size):
    task = bring()
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = desk.open(task)
    assert findings(page, axe) == []
    press(page, *"a1b2", "a", "v", "b", "v")
    assert findings(page, axe) == []
    press(page, "[", "[", "a", "w", "1", "Enter")
    expect(page.locator("[data-span-bar]")).to_be_visible()
    assert findings(page, axe) == []
    press(page, "Escape")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#message")).to_contain_text("still need an answer")
    assert findings(page, axe) == []


def test_nothing_that_is_sent_to_a_rater_names_a_system_or_a_reference(new_desk, rater, bring):
    task, sent = bring(), []
    desk = new_desk(rater)

    def listen(route):
        answer = route.fetch()
        sent.append((route.request.url, f"{answer.url} {answer.headers} {answer.text()}"))
        route.fulfill(response=answer)

    desk.context.route(lambda url: "/static/" not in url, listen)
    page = desk.open(task)
    press(page, *"a1b2c3d4e5", "o", "]", "a", "w", "1", "Escape")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#message")).to_contain_text("still need an answer")
    for letter in "BCDE":
        tab(page, "Errors of fact").click()
        page.get_by_label(f"No error in {letter}").check()
    press(page, "r")
    page.keyboard.type("One two three")
    saved(page)
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    press(page, "u")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    desk.context.unroute_all(behavior="wait")
    kinds = {url.partition("?")[0].rstrip("/").rsplit("/", 1)[-1] for url, _ in sent}
    assert {"draft", "pulse", "submit", "undo"} <= kinds
    assert [(url, one) for url, text in sent for one in (*SYSTEMS, "CANARY") if one in url + text] == []


def test_all_rows_of_a_list_and_the_steps_are_in_view(desk, rater):
    page = desk.open(demo_task("listwise", rater))
    inside = """node => { const box = node.getBoundingClientRect();
                          const view = document.querySelector("#answer").getBoundingClientRect();
                          return box.top >= view.top && box.bottom <= view.bottom }"""
    for dimension in page.locator(".dimension").all()[:4]:
        dimension.click()
        assert page.locator(".dimensions-steps").evaluate(inside)
        assert page.locator("#answer").evaluate("node => node.scrollHeight <= node.clientHeight + 1")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".dimension").first.click()
    assert page.locator("[data-tier]:visible").last.evaluate(inside)
