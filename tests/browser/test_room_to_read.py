"""Room to read: in windows of every size, at each step, for each protocol."""

# ruff: noqa: F811 - the names of fixtures

from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Item, Slot
from config.background.claiming import run_waiting
from files.reading import import_study
from sessions import steps
from sessions.second_ratings import sample_turns
from sessions.topic_preferences import choose_topics
from tests.browser.listwise.conftest import tab
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures
from tests.browser.test_reading import first_task
from tests.browser.test_sessions import LONG, address
from tests.fewer import first_cases
from tests.sessions.conftest import folder, instruct, models, session, study, turned  # noqa: F401 - fixtures

DEMO = Path("demo")
SIZES = [
    (390, 844), (820, 1180), (900, 700), (960, 540), (960, 600), (900, 620), (1366, 768), (1366, 600), (1280, 720),
    (683, 384), (410, 590), (320, 422), (390, 664), (390, 720), (412, 785), (360, 640), (375, 812), (390, 801),
    (320, 568), (2560, 1440),
]  # fmt: skip
"""Among them phones, tablets and laptops at 200 %, and windows that are not as high as the screen."""
LINES = """() => {  // how many lines of text are in view in the one pane that shows most
    const actions = document.querySelector(".desk-actions, .dock-row.end").getBoundingClientRect();
    const bottom = document.querySelector(".desk-actions") ? Math.min(innerHeight, actions.top) : innerHeight;
    const panes = new Map();
    for (const node of document.querySelectorAll("main :is(.reading, .instruction, .second-question)")) {
        if (!node.checkVisibility({ visibilityProperty: true })) continue;
        let view = { top: 0, bottom }, pane = null;
        for (let box = node; box.id !== "desk"; box = box.parentElement) {
            if (getComputedStyle(box).overflowY === "visible") continue;
            pane ??= box;
            const { top, bottom } = box.getBoundingClientRect();
            view = { top: Math.max(view.top, top), bottom: Math.min(view.bottom, bottom) };
        }
        const tops = panes.get(pane) ?? [];
        panes.set(pane, tops);
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const { top, bottom, height } of range.getClientRects()) {
            const seen = height && height < 60 && top >= view.top - 2 && bottom <= view.bottom + 2;
            if (seen && !tops.some((one) => Math.abs(one - top) < 10)) tops.push(top);
        }
    }
    return Math.max(0, ...[...panes.values()].map((tops) => tops.length));
}"""
DOCK = """() => {  // the questions' share of the height, if they cover a text and the page does not scroll
    const dock = document.querySelector(".dock") ?? document.querySelector("#answer");
    const box = dock.getBoundingClientRect();
    const isUnder = Math.round(box.bottom) >= document.querySelector("#main").getBoundingClientRect().bottom - 2;
    const isBeside = box.left > innerWidth / 4 && box.width < innerWidth * 0.45 && box.height > innerHeight * 0.5;
    const scrolls = document.documentElement.scrollHeight > innerHeight;
    const texts = [...document.querySelectorAll(".pane-scroll, .pair-scroll, .answer-scroll")];
    const covers = texts.filter((one) => one.scrollHeight > one.clientHeight).some((one) => {
        const { left, right, bottom } = one.getBoundingClientRect();
        return right > box.left && left < box.right && bottom <= box.top + 1;
    });
    return isUnder && !isBeside && !scrolls && covers ? box.height / innerHeight : 0;
}"""

TO_THE_LONGEST = """() => {  // of a list's outputs, whose order differs from run to run
    const texts = [...document.querySelectorAll(".card-text")];
    const [text] = texts.sort((a, b) => b.textContent.length - a.textContent.length);
    const pane = text?.closest(".pane-scroll");
    if (!pane) return;
    const head = text.closest(".card-output").querySelector(".card-head").offsetHeight;
    pane.scrollTop += text.getBoundingClientRect().top - pane.getBoundingClientRect().top - head;
}"""
CUT = """() => {  // by how much a choice reaches past its question
    const right = (node) => node.getBoundingClientRect().right;
    const choices = [...document.querySelectorAll(".question .choice")];
    return Math.max(0, ...choices.map((choice) => Math.round(right(choice) - right(choice.closest(".question")))));
}"""


def demo_task(protocol: str, rater) -> Assignment:
    """Return the rater's task on the demo's longest document: the order of tasks is drawn, and layouts follow texts."""
    study = import_study(DEMO / protocol).study
    longest = max(study.items.all(), key=lambda item: len(item.document))
    Item.objects.filter(pk=longest.pk).update(priority=Item.Priority.FIRST)
    return first_task(study, rater)


def cramped(page: Page) -> list[tuple]:
    """The window sizes at which there is too little room to read, and why."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_function("size => innerWidth === size", arg=width)
        page.evaluate(TO_THE_LONGEST)
        most = max(0.405, 305 / height)  # in low windows the labels of a scale of five need more than two fifths
        fits = f"() => ({LINES})() >= 8 && ({DOCK})() <= {most} && document.documentElement.scrollWidth <= innerWidth"
        with suppress(TimeoutError):  # the page's script adapts to the window a moment later
            page.wait_for_function(fits, timeout=5000)
        lines, dock = page.evaluate(LINES), page.evaluate(DOCK)
        wide = page.evaluate("document.documentElement.scrollWidth")
        cut = page.evaluate(CUT)
        if lines < 8 or dock > most or wide > width or cut > 1:
            found.append((width, height, f"{lines} lines", f"dock {dock:.2f}", f"{wide} wide", f"{cut} cut"))
    return found


@pytest.mark.parametrize("protocol", first_cases(["listwise", "rating", "pairwise"]))
def test_there_is_room_to_read_in_every_window(desk, rater, pair_study, first, protocol):
    if protocol == "pairwise":
        task = first(pair_study((LONG[:900], LONG[:900]), document=LONG))
    else:
        task = demo_task(protocol, rater)
    page = desk.open(task)
    assert cramped(page) == []
    if protocol == "pairwise":  # the choice follows the texts
        gap = """() => document.querySelector("#answer").getBoundingClientRect().top
                 - Math.max(...[...document.querySelectorAll(".pair-scroll .reading")].map((node) =>
                   node.getBoundingClientRect().bottom))"""
        assert page.evaluate(gap) < 300
        return
    # the questions are beside the outputs
    assert page.locator("#question-1, .dimension").first.bounding_box()["y"] < 200
    if protocol == "listwise":
        tab(page, "Errors of fact").click()
        expect(page.locator(".question.spans")).to_be_visible()
        assert cramped(page) == []


SIDEWAYS = [(844, 390), (667, 375), (740, 360), (915, 412), (932, 430)]
TO_THE_TEXT = """() => {
    const seen = [...document.querySelectorAll(".pair-scroll, .card-text")].filter((one) => one.checkVisibility());
    const [node] = seen.sort((a, b) => b.textContent.length - a.textContent.length);
    node.scrollIntoView({ block: "start" });
}"""


@pytest.mark.parametrize("protocol", first_cases(["listwise", "pairwise"]))
def test_a_phone_held_sideways_shows_eight_lines_of_a_text_that_is_scrolled_to(
    new_desk, rater, pair_study, first, protocol
):
    long = (LONG[:900], LONG[:900])
    task = first(pair_study(long, document=LONG)) if protocol == "pairwise" else demo_task(protocol, rater)
    page = new_desk(rater, has_touch=True).open(task)
    for width, height in SIDEWAYS:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("size => innerWidth === size", arg=width)
        page.evaluate(TO_THE_TEXT)
        assert page.evaluate(LINES) >= 8, (width, height)
        assert page.locator("#desk").evaluate("node => node.scrollTop") == 0


@pytest.mark.thorough
def test_there_is_room_to_read_a_session_at_each_step(desk, session, models):
    models.script = [LONG, f"More. {LONG}"]
    turned(session, "Longer.", "good")
    page = desk.page
    page.goto(desk.address + address(session))
    assert cramped(page) == []
    instruct(session, "Tell more about the fares of the ferries, and keep it short.")
    run_waiting()
    page.reload()
    page.get_by_role("tab", name="Text").click()
    expect(page.locator("#step")).to_have_text("Rate turn 2")
    assert cramped(page) == []


@pytest.mark.thorough
def test_a_second_rater_has_room_to_read_and_papers_over_the_whole_height(
    new_desk,
    study,
    session,
    models,
    stranger,
):
    models.script = [LONG]
    turned(session, "Longer.", "good")
    steps.finish(session)
    sample_turns(study, count=1)
    add_member(study, stranger, "annotator", None)
    Slot.objects.filter(state="open").exclude(task__variant__startswith="turn:").delete()
    choose_topics(rater_for(study, stranger), [])
    desk = new_desk(stranger)
    page = desk.page
    page.goto(desk.address + "/")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I have read the guidelines").click()
    page.wait_for_function("""() => {  // the page's script fits it into the window a moment later
        const [papers, whole] = ["#pane-document", "main"].map((name) => document.querySelector(name)?.offsetHeight);
        return papers && Math.abs(papers - whole) <= 1;
    }""")
    assert cramped(page) == []
