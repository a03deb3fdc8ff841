"""All words of a question, its help and the labels of its scale, can be read before choosing, in every window."""

# ruff: noqa: F811 - the names of fixtures

import json

import pytest
from playwright.sync_api import Page, expect

from accounts.preferences import save_preferences
from annotation.models import Annotation, Assignment
from config.background.claiming import run_waiting
from files.reading import import_study
from tests.browser.conftest import moved_on, saved
from tests.browser.listwise.conftest import bring  # noqa: F401 - a fixture
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures
from tests.browser.test_reading import first_task
from tests.browser.test_room_to_read import demo_task
from tests.browser.test_sessions import LONG, address
from tests.fewer import first_cases
from tests.sessions.conftest import folder, instruct, models, session, study  # noqa: F401 - fixtures

WINDOWS = [
    (1280, 720),
    (1440, 900),
    (1366, 768),
    (1920, 1080),
    (390, 844),
    (683, 384),
    (320, 568),
    (320, 422),
    (1366, 600),
    (820, 1180),
    (900, 700),
    (960, 540),
    (412, 915),
    (2560, 1440),
]
AT_ONCE = {(1280, 720), (1440, 900), (1366, 768), (1920, 1080), (820, 1180), (2560, 1440)}
"""Windows in which the demo's questions need no scrolling."""
UNREADABLE = """() => {  // texts of questions that are hidden, cut off, or in no place that scrolling reaches
    const texts = `.question-text bdi, .field-help:not(.no-js), .step-text, .choice bdi, .choice > span, .choice-help,
        .slide-ends, .slide-points bdi, .rank-how`;
    const aside = "[hidden], [popover], .no-js, .numbers-how, .visually-hidden, [data-said]";
    const wrong = [];
    for (const node of document.querySelectorAll(`#answer :is(${texts})`)) {
        const text = node.textContent.trim();
        if (!text || node.closest(aside)) continue;
        const said = (why) => wrong.push(`${why}: ${text.slice(0, 40)}`);
        if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) {
            said("hidden");
            continue;
        }
        const { overflow, fontSize } = getComputedStyle(node);
        const reaches = node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1;
        if (overflow !== "visible" && reaches) said("cut");
        if (parseFloat(fontSize) < 12) said("small");
        node.scrollIntoView({ block: "center" });
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const { left, right, top, bottom, width } of range.getClientRects()) {
            if (!width) continue;
            const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
            if (left < -1 || right > innerWidth + 1) said("beyond the edge");
            else if (!over || !(node.contains(over) || over.contains(node))) said(`under ${over?.className}`);
        }
    }
    scrollTo(0, 0);
    return [...new Set(wrong)];
}"""
SCROLLED = """() => {  // how far the questions reach past what is in view
    const form = document.querySelector("#answer");
    const actions = document.querySelector(".desk-actions").getBoundingClientRect().top;
    const last = Math.max(...[...form.querySelectorAll(".question")].map((one) => one.getBoundingClientRect().bottom));
    form.scrollTop = 0;
    return Math.round(Math.max(form.scrollHeight - form.clientHeight - 1, last - actions, 0));
}"""
LABELS = [
    "Not at all: ignores the instruction or is mostly wrong",
    "Poorly: misses an essential part or invents one",
    "Partly: the core is there, with a clear gap",
    "Well: does what was asked",
    "Fully: nothing unasked",
]
SURE = ("Not", "Hardly", "Slightly", "Partly", "Mostly", "Very", "Wholly")
HELP = "Take the instruction apart and check each thing that it asks for. Style counts only if it is asked for."
EVERY_TYPE = [
    {"key": "yes", "type": "binary", "text": "Does it follow the instruction?", "help": HELP},
    {"key": "well", "type": "likert", "text": "How well?", "min": 1, "max": 5, "labels": LABELS, "help": HELP},
    {
        "key": "seven",
        "type": "likert",
        "text": "How sure are you?",
        "min": 1,
        "max": 7,
        "labels": [f"{word} sure of this answer" for word in SURE],
    },
    {
        "key": "kind",
        "type": "category",
        "text": "Which kind?",
        "choices": ["Leaves out what was asked for", "Invents"],
        "help": HELP,
    },
    {
        "key": "share",
        "type": "slider",
        "text": "How much?",
        "min": 0,
        "max": 100,
        "help": HELP,
        "labels": ["Nothing of what was asked", "All of what was asked"],
        "points": {"A little": 25, "Most": 75},
    },
    {"key": "why", "type": "text", "text": "Why?", "required": False, "help": HELP, "min_words": 3},
]


def resized(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("size => innerWidth === size", arg=width)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def unreadable(page: Page) -> list[tuple]:
    found = []
    for width, height in WINDOWS:
        resized(page, width, height)
        page.mouse.move(1, 1)
        found += [(width, height, text) for text in page.evaluate(UNREADABLE)]
    return found


def task_with(tmp_path, rater, questions=EVERY_TYPE, output="It sails at nine.", **more) -> Assignment:
    folder = tmp_path / "labels"
    folder.mkdir()
    body = {"slug": "labels", "title": "Labels", "protocol": "rating", "redundancy": 1, "questions": questions}
    (folder / "study.json").write_text(json.dumps(body | more))
    outputs = [{"id": name, "text": output} for name in ("north", "south")]
    item = {"id": "one", "document": "The ferry sails at nine. " * 200, "instruction": "When?", "outputs": outputs}
    (folder / "items.jsonl").write_text(json.dumps(item) + "\n")
    return first_task(import_study(folder).study, rater)


def test_every_word_of_the_demos_questions_can_be_read_in_every_window_without_choosing(desk, rater):
    page = desk.open(demo_task("rating", rater))
    assert unreadable(page) == []


def test_in_usual_windows_all_of_them_are_in_view_at_once(desk, rater):
    page = desk.open(demo_task("rating", rater))
    for width, height in sorted(AT_ONCE):
        resized(page, width, height)
        assert (width, height, page.evaluate(SCROLLED)) == (width, height, 0)


def test_questions_of_every_type_can_be_read_in_every_window(desk, rater, tmp_path):
    page = desk.open(task_with(tmp_path, rater))
    assert unreadable(page) == []


def test_labels_can_be_read_where_text_is_enlarged_and_in_german(new_desk, rater):
    save_preferences(rater, language="de")
    page = new_desk(rater).open(demo_task("rating", rater))
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert unreadable(page) == []


def test_pairs_and_lists_show_all_help_too(desk, rater, pair_study, first, bring):
    asked = [
        {"key": "better", "type": "preference", "text": "Which is better?", "help": HELP},
        {"key": "clear", "type": "likert", "min": 1, "max": 5, "labels": LABELS, "text": "How clear?", "help": HELP},
    ]
    page = desk.open(first(pair_study(document="It sails. " * 300, questions=asked)))
    assert unreadable(page) == []


def test_a_ranking_shows_its_help(new_desk, rater, bring):
    asked = [{"key": "overall", "type": "rank", "ranks": 5, "text": "Overall quality", "help": HELP}]
    page = new_desk(rater).open(bring(questions=asked))
    assert [text for *_, text in unreadable(page) if not text.endswith("Overall quality")] == []  # it is on its tab


def test_a_session_says_what_each_kind_of_change_means_and_shows_its_help(desk, session, models):
    models.script = [LONG, f"More. {LONG}"]
    page = desk.page
    page.goto(desk.address + address(session))
    expect(page.locator("#step")).to_contain_text("Write an instruction")
    assert "The papers are not searched." in page.locator(".kind").inner_text()
    assert unreadable(page) == []
    instruct(session, "Tell more about the fares of the ferries, and keep it short.")
    run_waiting()
    page.reload()
    page.get_by_role("tab", name="Text").click()
    expect(page.locator("#step")).to_have_text("Rate turn 1")
    assert unreadable(page) == []


def test_the_questions_take_the_room_that_a_short_output_leaves(desk, rater, tmp_path):
    page = desk.open(task_with(tmp_path, rater))
    resized(page, 1280, 720)
    tall, output = (page.locator(name).bounding_box() for name in ("#answer", "[data-text=output]"))
    assert tall["height"] > 0.5 * 720
    assert output["y"] + output["height"] <= tall["y"]
    resized(page, 390, 844)
    gap = page.locator("#question-1").bounding_box()["y"] - page.locator("[data-text=output]").bounding_box()["y"]
    assert gap < 200


@pytest.mark.parametrize(
    ("options", "shown"),
    first_cases([
        ({"viewport": {"width": 1366, "height": 768}}, "laptop fine below tight columns whole"),
        ({"viewport": {"width": 2560, "height": 1440}}, "large fine beside wide rows whole"),
        (
            {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
            "phone coarse page wide rows scrolled",
        ),
    ]),
)  # fmt: skip
def test_how_a_task_was_shown_is_kept_with_the_answer(new_desk, rater, options, shown):
    task = demo_task("rating", rater)
    page = new_desk(rater, **options).open(task)
    page.locator("#question-1 label").first.click()
    page.locator("#question-2 label").nth(4).click()
    saved(page)
    page.wait_for_load_state("networkidle")  # a busy machine lays the page out again when its fonts are there
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    [answer] = Annotation.objects.filter(task=task.task_id).values_list("device", flat=True)
    assert answer == shown
