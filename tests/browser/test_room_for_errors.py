"""Errors of an incomplete answer take no room and cover nothing: texts, questions and choices stay where they are."""

# ruff: noqa: F811 - the names of fixtures

import re
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Question, Study
from config.background.claiming import run_waiting
from files.reading import import_study
from retrieval.index_builds import ensure_index
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures
from tests.browser.test_reading import long_task  # noqa: F401 - a fixture
from tests.browser.test_room_to_read import demo_task
from tests.browser.test_sessions import LONG, address
from tests.fewer import chosen_cases, first_cases
from tests.sessions.conftest import begun, folder, instruct, live, models, rate  # noqa: F401 - fixtures

SIZES = [(390, 844), (1366, 768), (820, 1180), (2560, 1440)]
PAIRED = [
    {"key": "better", "type": "preference", "text": "Which of the two answers is better?"},
    {"key": "clear", "type": "likert", "min": 1, "max": 3, "text": "How clear?", "per": "output"},
    {"key": "why", "type": "text", "text": "Why?", "min_words": 3},
]
TURN = [
    {"key": "rating", "type": "category", "choices": ["good", "neutral", "bad"],
     "text": "Did the new answer do what was asked for?",
     "help": "Good: it did. Neutral: in part. Bad: not at all, or the answer got worse."},
    {"key": "comment", "type": "text", "text": "Why?", "help": "A sentence or two: what it did and what it missed."},
    {"key": "fluent", "type": "likert", "min": 1, "max": 5, "text": "How fluent is the new answer?"},
]  # fmt: skip
MORE = [
    {"key": "kind", "type": "category", "text": "What is the output above all?", "spec": {"choices": ["Long", "Odd"]}},
    {"key": "sure", "type": "slider", "text": "How sure are you of what you chose?", "spec": {"min": 0, "max": 10}},
]
PLACES = """() => Object.fromEntries([...document.querySelectorAll(`
    .desk-main > *, .session-main > *, [data-scroll], .pane .reading, .dock-asked, .limits, .scale, .dock .button,
    .question:not(.edit-question), .question-text, .field-help, .choice, .slide, textarea, #submit`
)].filter((node) => node.checkVisibility()).map((node, number) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    const top = y + (node.closest(".desk-actions, .dock-row.end") ? 0 : scrollY); // the place on a page that scrolls
    return [`${number} ${node.id || node.className || node.name}`, [x, top, width, height].map(Math.round).join(" ")];
}))"""
COVERED = """() => {  // what the message is on if the last question is scrolled to
    document.querySelector(".dock, #answer").scrollTop = 9999;
    scrollTo(0, 9999);
    const message = document.querySelector("#message").getBoundingClientRect();
    const isUnder = ({ left, top, right, bottom }) => left < message.right - 1 && right > message.left + 1
        && top < message.bottom - 1 && bottom > message.top + 1;
    const needed = document.querySelectorAll(`.question :is(.choice, .chip, .field-error, .field-help, textarea, input),
        :is(.desk-actions, .dock-row) :is(.button, button)`);
    const shown = [...needed].filter((node) => node.checkVisibility({ visibilityProperty: true }));
    return shown.filter((node) => isUnder(node.getBoundingClientRect())).map((node) => node.outerHTML.slice(0, 100));
}"""


@pytest.fixture
def open_page(new_desk, rater, long_task, pair_study, first, folder, models):
    """A function that opens a page that asks several questions."""

    def open_page(name: str, size: tuple[int, int]) -> Page:
        desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
        if name == "rating":
            return desk.open(demo_task("rating", rater))
        if name == "every kind":
            study = Study.objects.get(slug="study")
            for position, one in enumerate(MORE, 4):
                Question.objects.create(study=study, position=position, **one)
            study.questions.filter(key="comment").update(required=True, spec={"min_words": 3})
            return desk.open(long_task)
        if name == "pairwise":
            return desk.open(first(pair_study((LONG, LONG), document=LONG, questions=PAIRED)))
        models.script = [LONG, f"More. {LONG}"]
        study = live(import_study(folder(questions=TURN)).study, rater)
        ensure_index(study)
        run_waiting()
        session = begun(study, rater)
        run_waiting()
        instruct(session, "Tell more about the fares of the ferries, and keep it short.")
        run_waiting()
        if name == "edit":
            rate(session, "neutral", **{"q-fluent": ["3"]})
        desk.page.goto(desk.address + address(session) + ("?edit=1" if name == "edit" else ""))
        return desk.page

    return open_page


def places(page: Page) -> dict[str, str]:
    """Where everything is while the questions are at their top."""
    page.locator(".dock, .answer").first.evaluate("node => (node.scrollTop = 0)")
    return page.evaluate(PLACES)


def moved(page: Page, before: dict[str, str]) -> dict[str, tuple[str | None, str]]:
    """What is at another place than before, with both places."""
    now = places(page)
    return {name: (before.get(name), place) for name, place in now.items() if place != before.get(name)}


@pytest.mark.parametrize(
    ("name", "size"),
    chosen_cases(
        list(product(("rating", "every kind", "pairwise", "session"), SIZES)),
        [("rating", SIZES[0]), ("every kind", SIZES[1]), ("pairwise", SIZES[0]), ("session", SIZES[1])],
    ),
)
def test_an_incomplete_answer_moves_nothing(open_page, name, size):
    page = open_page(name, size)
    expect(page.locator(".question .choice").first).to_be_visible()
    before = places(page)
    page.locator("#submit").click()
    expect(page.locator("#message")).to_contain_text("still need")
    expect(page.locator(".has-error").first).to_be_visible()
    assert moved(page, before) == {}
    if size == (390, 844):
        assert page.evaluate(COVERED) == []
    first = page.locator("#question-1")
    expect(first).to_have_accessible_description(re.compile("This question needs an answer"))
    expect(first.locator(".question-number")).to_have_css("visibility", "hidden")  # a sign is in its place
    first.locator(".choice").first.click()
    expect(first.locator(".question-number")).to_have_css("visibility", "visible")
    assert moved(page, before) == {}


def test_a_sentence_that_has_no_room_is_cut_off_as_a_whole_and_read_by_a_tap(open_page):
    page = open_page("every kind", (390, 844))
    Question.objects.filter(key="follows").update(text="Does it follow all of what was asked for in every part?")
    Question.objects.filter(key="how_well").update(text="So?")
    page.reload()
    page.locator("#submit").click()
    expect(page.locator("#message")).to_contain_text("still need")
    shown = """node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        const [box, text] = [node, range].map((one) => one.getBoundingClientRect());
        return text.top < box.bottom && text.right <= box.right ? "whole" : text.top < box.bottom ? "part" : "none";
    }"""
    found = page.locator(".question .field-error").evaluate_all(f"nodes => nodes.map({shown})")
    assert found[:2] == ["none", "whole"]
    assert "part" not in found
    before = places(page)
    asked, text = page.locator("#question-1"), page.locator("#question-1 bdi").first
    asked.locator(".question-head").click(position={"x": 5, "y": 8})  # on the sign
    expect(text).to_have_css("visibility", "hidden")
    assert asked.locator(".field-error").evaluate(shown) == "whole"
    expect(asked.locator(".field-error")).to_have_css("overflow", "visible")  # its second line, too
    assert moved(page, before) == {}
    asked.locator(".choice").first.click()
    expect(text).to_have_css("visibility", "visible")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["rating", "every kind", "pairwise", "session"])
def test_in_a_low_window_the_message_is_below_the_last_question(open_page, name):
    page = open_page(name, (390, 664))
    page.locator("#submit").click()
    expect(page.locator("#message")).to_contain_text("still need")
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize("size", first_cases([pytest.param(size) for size in SIZES]))
def test_an_empty_edit_moves_nothing_and_its_error_takes_the_place_of_the_help(open_page, size):
    page = open_page("edit", size)
    page.locator("#edit").fill(" ")
    before = places(page)
    page.locator("#submit").click()
    error, said = page.locator("#edit-error"), page.locator("#step-help")
    expect(error).to_have_text("The edited answer is empty. To keep the answer as it is, choose Cancel.")
    expect(page.locator("#edit")).to_be_focused()
    expect(page.locator("#edit")).to_have_accessible_description(re.compile("The edited answer is empty"))
    expect(said).to_have_css("visibility", "hidden")
    room, box = said.bounding_box(), error.bounding_box()
    assert box["y"] == pytest.approx(room["y"], abs=1)
    assert box["height"] <= room["height"]
    assert moved(page, before) == {}
    page.locator("#edit").fill("Mine.")
    expect(said).to_have_css("visibility", "visible")
    expect(error).to_be_hidden()
    expect(page.locator("#edit")).not_to_have_accessible_description(re.compile("The edited answer is empty"))
    assert moved(page, before) == {}


@pytest.mark.thorough
def test_the_end_of_a_text_that_is_too_long_is_above_its_error(open_page):
    page = open_page("every kind", (1366, 768))
    Question.objects.filter(key="comment").update(spec={"max_words": 4})
    field = page.get_by_label("Why?")
    field.fill("A line of words.\n" * 9 + "The end.")
    before = places(page)
    page.locator("#submit").click()
    error = page.locator("#question-3 .field-error")
    expect(error).to_have_text("This answer may have at most 4 words; it has 38.")
    assert moved(page, before) == {}
    field.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type(" Yes.")
    end = "node => [node.scrollTop + node.clientHeight, node.scrollHeight]"
    assert (shown := field.evaluate(end))[0] == pytest.approx(shown[1], abs=1), "the line under the error is free"


def test_that_a_number_is_off_its_scale_is_read_in_the_place_of_the_question(open_page):
    page = open_page("every kind", (390, 844))
    asked = page.locator("#question-5")
    asked.locator("[data-number]").fill("12")
    before = places(page)
    page.locator("#submit").click()
    expect(asked.locator(".field-error")).to_have_text("This answer must be a number from 0 to 10.")
    expect(asked.locator(".field-error")).to_be_visible()
    expect(asked.locator("bdi").first).to_have_css("visibility", "hidden")
    assert moved(page, before) == {}
    asked.locator("[data-number]").fill("7")
    expect(asked.locator("bdi").first).to_have_css("visibility", "visible")
    expect(asked.locator(".field-error")).to_be_hidden()
