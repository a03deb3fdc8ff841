"""Reading for hours: keys that scroll, the reader's own sizes, and a page that does not move."""

# ruff: noqa: F811 - the names of fixtures

import json

import pytest
from playwright.sync_api import Page, expect

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Item, Output, Question, Study
from annotation.studies.planning import plan_chunk
from tests.browser.conftest import moved_on, saved
from tests.browser.listwise.conftest import bring, press, rows, tab  # noqa: F401 - a fixture
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures
from tests.browser.test_sessions import LONG, address, written
from tests.conftest import draft_study
from tests.fewer import first_cases
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401 - fixtures

TOP = "name => document.querySelector(`[data-scroll=${name}]`).scrollTop"


@pytest.fixture
def long_task(rater):
    """The rater's first of two tasks on one long document, with long outputs."""
    made = draft_study(items=0, redundancy=1)
    item = Item.objects.create(study=made, key="long", digest="long", document=LONG, instruction="Sum it up.")
    for place, system in enumerate(("north", "south")):
        Output.objects.create(item=item, position=place, key=system, text=f"{LONG} {system}", digest=system)
    return first_task(made, rater)


def first_task(study: Study, rater) -> Assignment:
    """Make the study live and give the rater's first task."""
    while plan_chunk(study):
        pass
    add_member(study, rater, "annotator", None)
    Study.objects.filter(pk=study.pk).update(status="live")
    study.refresh_from_db()
    return next_assignment(study, rater_for(study, rater))


def top(page: Page, name: str) -> float:
    return page.evaluate(TOP, name)


def reads(page: Page, key: str, name: str) -> None:
    """Press a key and wait until it has moved a text."""
    before = top(page, name)
    page.keyboard.press(key)
    page.wait_for_function(f"([name, before]) => ({TOP})(name) !== before", arg=[name, before])


def test_keys_read_right_after_load_and_submit_and_answers_stay(desk, long_task):
    page = desk.open(long_task)
    for key in ("ArrowDown", "Space", "PageDown", "PageUp", "ArrowUp", "End", "Home"):
        reads(page, key, "output")
    assert top(page, "document") == 0
    for key in ("Shift+ArrowDown", "Shift+PageDown", "Shift+End", "Shift+Home", "Shift+Space"):
        reads(page, key, "document")
    desk.choose(1, "Yes")
    desk.choose(2, "mostly")
    reads(page, "ArrowDown", "output")  # the mouse chose: arrows read and leave the choice
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#question-2 :checked")).to_have_value("3")  # the keyboard went there: arrows choose
    page.locator("#submit").click()
    moved_on(page, long_task)
    reads(page, "Space", "output")


def test_keys_read_in_dialogs_and_the_key_that_opens_one_closes_it(new_desk, rater, long_task):
    Study.objects.update(options={"skip_reasons": ["Too long"]})
    page = new_desk(rater, viewport={"width": 1366, "height": 420}).open(long_task)
    body = page.locator("#help .dialog-body")
    page.locator("[data-scroll=document]").focus()
    page.keyboard.press("?")
    for key in ("ArrowDown", "Space", "End"):
        before = body.evaluate("node => node.scrollTop")
        page.keyboard.press(key)
        body.evaluate("(node, before) => new Promise(done => { const look = () => node.scrollTop > before ? done() "
                      ": requestAnimationFrame(look); look(); })", before)  # fmt: skip
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("[data-scroll=document]")).to_be_focused()
    page.keyboard.press("g")
    expect(page.locator("#guidelines-body")).to_contain_text("Read everything.")
    page.keyboard.press("g")
    expect(page.locator("#guidelines")).to_be_hidden()
    expect(page.locator("[data-scroll=document]")).to_be_focused()
    page.keyboard.press("s")
    expect(page.locator("#skip")).to_be_visible()
    page.keyboard.press("s")
    expect(page.locator("#skip")).to_be_hidden()
    page.locator("[data-scroll=document]").focus()
    page.keyboard.press("f")
    expect(page.locator("#flag-reason")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#flag-reason")).to_be_hidden()
    expect(page.locator("[data-scroll=document]")).to_be_focused()
    page.get_by_role("button", name="Text size").click()
    press(page, "+", "+", "-")  # the keys printed in the drawer
    expect(page.locator("#text-size")).to_have_text("115 %")
    page.keyboard.press("y")
    expect(page.locator("#question-1 :checked")).to_have_count(0)


def test_keys_read_lists(desk, bring):
    page = desk.open(bring(texts=[LONG, LONG]))
    for key in ("ArrowDown", "Space", "PageUp", "End", "Home"):
        reads(page, key, "output")
    press(page, "a", "1")  # a letter ranks, and the keys read on
    reads(page, "PageDown", "output")


def test_keys_read_sessions(desk, session, models):
    models.script = [LONG]
    turned(session, "Longer.", "good")
    page = desk.page
    page.goto(desk.address + address(session))
    for key in ("ArrowDown", "Space", "PageUp", "End", "Home"):
        reads(page, key, "answer")
    page.keyboard.press("2")
    reads(page, "Space", "answer")
    page.evaluate("document.querySelectorAll('#papers-body details').forEach((one) => (one.open = true))")
    page.set_viewport_size({"width": 1366, "height": 600})  # so that the papers are longer than their pane
    before = top(page, "answer")
    for key in ("Shift+ArrowDown", "Shift+Home", "Shift+End"):
        reads(page, key, "papers")
    assert top(page, "answer") == before


def test_a_pair_keeps_its_arrows_and_is_read_by_the_other_keys(desk, pair_study, first):
    page = desk.open(first(pair_study((LONG, LONG), document=LONG)))
    for key in ("Space", "ArrowUp", "End", "Home"):
        reads(page, key, "output-A")
    reads(page, "Shift+ArrowDown", "document")
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    page.keyboard.press("e")
    expect(page.locator("#examples")).to_be_visible()
    page.keyboard.press("e")
    expect(page.locator("#examples")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#question-1 :checked")).to_have_value("tie")


def test_text_size_and_pane_widths_are_set_and_kept(desk, long_task):
    page = desk.open(long_task)
    text, pane = page.locator("[data-text=output]"), page.locator("#pane-document")
    size = "node => parseFloat(getComputedStyle(node).fontSize)"
    before, width = text.evaluate(size), pane.bounding_box()["width"]
    page.keyboard.press("+")
    page.get_by_role("button", name="Text size").click()
    page.get_by_role("button", name="Larger text").click()
    page.keyboard.press("Escape")
    line = page.get_by_role("separator", name="Width of the document")
    box = line.bounding_box()
    page.mouse.move(box["x"] + 5, 300)
    page.mouse.down()
    page.mouse.move(box["x"] - 150, 300, steps=3)
    page.mouse.up()
    line.press("ArrowLeft")
    page.reload()
    assert text.evaluate(size) > before * 1.25
    assert pane.bounding_box()["width"] < width - 150
    page.get_by_role("button", name="Text size").click()
    page.get_by_role("button", name="Use the usual sizes").click()
    assert (text.evaluate(size), pane.bounding_box()["width"]) == (before, width)


def test_a_turn_opens_on_its_changes_and_the_view_is_remembered(desk, session, models):
    page = desk.page
    models.script = [f"{LONG} More.", f"{LONG} Most.", f"{LONG} Least."]
    turned(session, "Longer.", "good")

    def turn(text: str) -> None:
        page.locator("#instruction").fill(text)
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        written(page)

    page.goto(desk.address + address(session))
    turn("Again.")
    expect(page.locator("#answer-changes")).to_be_visible()
    expect(page.locator(".changes ins").first).to_be_in_viewport()
    page.keyboard.press("Enter")  # an error stays on the view
    expect(page.locator(".faces .field-error")).to_be_visible()
    expect(page.locator("#answer-changes")).to_be_visible()
    page.keyboard.press("t")
    page.keyboard.press("1")
    page.keyboard.press("c")
    page.keyboard.type("Yes.")
    page.keyboard.press("Control+Enter")
    turn("Once more.")
    expect(page.locator("#step")).to_have_text("Rate turn 3")
    expect(page.locator("#answer-text")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("markdown", [False, True])
def test_the_text_of_a_turn_opens_on_its_first_change_unless_somebody_scrolled(desk, session, models, markdown):
    session.study.options |= {"markdown": markdown}
    session.study.save(update_fields=["options"])
    page = desk.page
    start = f"**Ferries** [0].\n\n{LONG}"
    models.script = [start, f"{start}\n\nA new end.", f"{start}\n\nA *newer* end."]
    turned(session, "Longer.", "good")
    page.goto(desk.address + address(session))
    page.evaluate("localStorage.setItem('session-view', 'text')")

    def turn(scroll: int) -> None:
        page.locator("#instruction").fill("Again.")
        page.locator("label", has_text="Only style").click()
        page.get_by_role("button", name="Send instruction").click()
        expect(page.locator("#desk")).to_have_attribute("data-due", "writing")
        page.evaluate("top => (document.querySelector('[data-scroll=answer]').scrollTop = top)", scroll)
        written(page)

    turn(0)
    expect(page.locator("#answer-text")).to_be_visible()
    end = page.locator("#answer-text .answer-body").bounding_box()
    assert 0 < end["y"] + end["height"] < page.locator(".dock").bounding_box()["y"]
    page.keyboard.press("1")
    page.keyboard.press("c")
    page.keyboard.type("Yes.")
    page.keyboard.press("Control+Enter")
    turn(40)
    assert top(page, "answer") == 40


def test_a_list_says_how_to_rank_and_goes_on_by_itself(desk, bring):
    name = "Missing information and irrelevant information"
    page = desk.open(bring(questions=[
        {"key": "overall", "type": "rank", "ranks": 5, "text": name},
        {"key": "clear", "type": "likert", "min": 1, "max": 3, "text": "Clear?"},
        {"key": "errors", "type": "spans", "labels": ["wrong"], "text": "Errors"},
    ]))  # fmt: skip
    box = tab(page, name).locator(".dimension-name")
    assert box.evaluate("node => node.scrollWidth <= node.clientWidth && node.innerText") == name
    expect(page.locator("[data-panel]:visible")).to_contain_text("Press a letter, then a row")
    press(page, *"a1b2c3d4e")
    press(page, "ArrowUp")  # more moves may follow
    expect(tab(page, name)).to_have_attribute("aria-selected", "true")
    press(page, "[", "[", "[")
    press(page, "e", "Backspace", "e", "2")
    expect(tab(page, "Clear?")).to_have_attribute("aria-selected", "true")
    press(page, "2")
    expect(tab(page, "Errors")).to_have_attribute("aria-selected", "true")
    press(page, "[", "[")
    press(page, "a", "3")  # done already: it stays
    assert rows(page) != []
    expect(tab(page, name)).to_have_attribute("aria-selected", "true")
    saved(page)


def test_a_new_output_of_the_same_document_is_said_where_it_is(desk, long_task):
    page = desk.open(long_task)
    expect(page.locator("[data-cue]")).to_be_empty()
    press(page, "y", "4", "Enter")
    moved_on(page, long_task)
    expect(page.locator("#pane-output [data-cue]")).to_have_text("New output, same document")
    page.keyboard.press("p")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(long_task.key))


@pytest.mark.thorough
def test_tasks_without_a_document_are_not_said_to_share_one(desk, rater):
    made = draft_study(items=0, redundancy=1)
    for key in ("one", "two"):
        item = Item.objects.create(study=made, key=key, digest=key, document="", instruction=f"Say {key}.")
        Output.objects.create(item=item, position=0, key="north", text=f"{key}.", digest=key)
    task = first_task(made, rater)
    page = desk.open(task)
    press(page, "y", "4", "Enter")
    moved_on(page, task)
    expect(page.locator("#announce")).to_contain_text("Done.")
    expect(page.locator("[data-cue]")).to_be_empty()


@pytest.mark.parametrize("size", [pytest.param((1366, 768), marks=pytest.mark.thorough), (390, 844)])
def test_nothing_shifts_while_somebody_answers(new_desk, rater, long_task, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
    page, other = desk.open(long_task), desk.tab()
    if size[0] < 500:
        buttons = page.locator(".desk-top .button:visible").all()
        assert [button.evaluate(TAPPED) for button in buttons] == [True] * 3
    names = ["[data-scroll=output]", "#question-1", "#question-1 label", "#question-2", "#submit"]
    place = f"""() => JSON.stringify({names}.map((one) => document.querySelector(one)).map((node) => {{
        const {{ x, y, width, height }} = node.getBoundingClientRect();
        return {{ x, y: Math.round(y + (node.id === "submit" ? 0 : scrollY)), width, height }}; // the place on the page
    }}))"""
    before = page.evaluate(place)
    desk.choose(1, "Yes")
    desk.choose(2, "mostly")
    page.get_by_label("Why?").fill("A line.\n" * 12)
    assert page.evaluate(place) == before
    page.locator("#flag-button").click()
    page.locator("#flag-reason").fill("Odd.")
    page.get_by_role("button", name="Flag task").click()
    expect(page.locator("#message")).to_contain_text("Flagged")
    expect(page.locator("#message")).to_have_attribute("data-kind", "good")
    assert page.evaluate(place) == before
    saved(page)
    desk.open(long_task, other)
    press(other, "y", "1", "Enter")
    moved_on(other, long_task)
    page.locator("#submit").click()
    expect(page.locator(".desk-notices section")).to_be_visible()
    top = "() => document.querySelector('[data-scroll=output]').getBoundingClientRect().top"
    assert page.evaluate(top) == pytest.approx(json.loads(before)[0]["y"], abs=0.5)


TAPPED = """button => {  // whether a tap up to 21 px beside its middle is the button's
    const box = button.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    return [[-21, 0], [21, 0], [0, -21], [0, 21]].every(([right, down]) =>
        button.contains(document.elementFromPoint(x + right, y + down)));
}"""
PLACES = """names => JSON.stringify(names.map((name) => {
    const { x, y, width, height } = document.querySelector(name).getBoundingClientRect();
    return [name, ...[x, y, width, height].map(Math.round)];
}))"""


def stays(page: Page, *names: str) -> None:
    """Submit without an answer: the errors move nothing."""
    before = page.evaluate(PLACES, names)
    page.locator("#submit").click()
    expect(page.locator(".question .field-error").first).to_be_visible()
    assert page.evaluate(PLACES, names) == before


def test_nothing_shifts_if_an_answer_of_a_rating_or_a_pair_is_missing(desk, long_task, pair_study, first):
    page = desk.open(long_task)
    stays(page, "[data-scroll=output]", "#answer", "#question-1 label", "#question-2 .scale", "#question-3 textarea")
    pair = desk.open(first(pair_study((LONG, LONG))))
    stays(pair, "[data-scroll=output-A]", "#answer", "#question-1 label", "#question-3 textarea", "#submit")


def test_nothing_shifts_if_an_answer_of_a_list_is_missing(desk, bring):
    page = desk.open(bring())
    stays(page, "[data-scroll=output]", "#answer", ".dimension", "[data-panel]:not([hidden]) .board", "#submit")


@pytest.mark.thorough
def test_nothing_shifts_if_an_instruction_or_a_rating_of_a_session_is_missing(desk, session, models):
    page = desk.page
    page.goto(desk.address + address(session))
    page.locator("#instruction").fill("Longer.")
    stays(page, "[data-scroll=answer]", ".dock", "#instruction", ".kind .choices", "#submit")
    expect(page.locator("#kind-error")).to_be_visible()
    page.get_by_text("New facts from the papers").click()
    expect(page.locator("#kind-error")).to_be_hidden()
    page.locator("#submit").click()
    written(page)
    stays(page, "[data-scroll=answer]", ".dock", ".faces label", "#question-2 textarea", "#submit")


def test_names_are_without_keys_and_an_arabic_scale_runs_from_right_to_left(desk, rater):
    made = draft_study(items=1, redundancy=1, language="ar")
    Question.objects.filter(study=made, key="follows").delete()
    page = desk.open(first_task(made, rater))
    expect(page.get_by_role("button", name="Submit and next", exact=True)).to_have_attribute(
        "aria-keyshortcuts", "Enter"
    )
    expect(page.get_by_role("button", name="Skip", exact=True)).to_be_visible()
    steps = page.locator(".scale .step")
    assert steps.first.bounding_box()["x"] > steps.last.bounding_box()["x"]
    page.keyboard.press("i")
    expect(page.locator("#places")).to_have_text("No invisible characters")


def test_differences_say_when_there_are_none_or_nearly_all(desk, pair_study, first):
    texts = ("It sails at nine in the winter.", "Ferries leave after ten, all summer long, daily.")
    page = desk.open(first(pair_study(texts)))
    page.keyboard.press("d")
    expect(page.locator("#same")).to_have_text("Nearly everything differs: nothing is marked.")
    expect(page.locator("mark.differs")).to_have_count(0)


@pytest.mark.parametrize("size", first_cases([pytest.param((390, 740)), pytest.param((960, 540))]))
def test_the_next_task_begins_at_the_top_of_a_page_that_scrolls(new_desk, rater, long_task, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
    page = desk.open(long_task)
    page.get_by_role("radio", name="Yes").check()
    desk.choose(2, "mostly")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    assert page.evaluate("window.scrollY") > 0
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, long_task)
    page.wait_for_function("window.scrollY === 0")
