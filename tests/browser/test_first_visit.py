"""A page of the desk that a browser loads for the first time: few requests, little script, no key lost."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from playwright.sync_api import expect

from accounts.preferences import save_preferences
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.listwise.conftest import bring, press, rows  # noqa: F401 - fixtures
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures

MOST_REQUESTS, MOST_SCRIPT = 12, 60_000
AT_ONCE = 6
"""As many files as browsers ask a server for at once, over HTTP/1.1. The script, the last one, waits behind more."""
SCROLLED = """() => new Promise((done) => {
    const look = () => (window.scrollY === 40 ? done() : requestAnimationFrame(look));
    look();
})"""
SIZES_ASKED = """() => {
    const asked = (window.sizesAsked = []);
    let isAlive = false, early;
    const note = (name) => isAlive || asked.push(`${name} ${new Error().stack.split("\\n").slice(3, 5)}`);
    for (const [owner, name] of [
        [Element, "clientHeight"], [Element, "clientWidth"], [Element, "scrollHeight"], [Element, "scrollTop"],
        [Element, "scrollLeft"], [HTMLElement, "offsetHeight"], [HTMLElement, "offsetWidth"],
        [Element, "scrollWidth"], [HTMLElement, "offsetTop"], [HTMLElement, "offsetLeft"], [HTMLElement, "innerText"],
        [Selection, "isCollapsed"],
    ]) {
        const { get, set } = Object.getOwnPropertyDescriptor(owner.prototype, name);
        Object.defineProperty(owner.prototype, name, {
            get() { note(name); return get.call(this); },
            set(value) { note(name); set.call(this, value); },
        });
    }
    for (const [owner, name] of [
        [Element, "getBoundingClientRect"], [Element, "getClientRects"], [Element, "checkVisibility"],
        [Element, "scrollIntoView"], [Element, "scrollTo"], [Range, "getBoundingClientRect"], [Range, "getClientRects"],
    ]) {
        const act = owner.prototype[name];
        owner.prototype[name] = function (...given) { note(name); return act.apply(this, given); };
    }
    Object.defineProperty(window, "earlyEvents", {
        set: (given) => (early = given),
        get: () => early && (() => { queueMicrotask(() => (isAlive = true)); return early(); }),
    });
}"""
"""Notes what makes the browser lay a page out before its script has taken the keys that were pressed until then."""


HIDDEN = """() => {
    Object.defineProperty(document, "hidden", { get: () => true });
    window.requestAnimationFrame = () => 0;
}"""


def cold(desk, collected, open_page, state="saved"):
    """Open a page, and check how many requests and bytes of script go over the wire, and that keys wait for no layout.

    The browser lays a page out when its size is asked for, which takes longer than all of the script.
    """
    asked = []
    desk.page.on("request", lambda request: asked.append(request.url))
    desk.page.add_init_script(f"({SIZES_ASKED})()")
    open_page()
    expect(desk.page.locator("#state")).to_have_text(state)
    scripts = [collected / url.split("/static/")[1] for url in asked if url.endswith(".js")]
    assert 0 < len(asked) <= MOST_REQUESTS, asked
    assert 0 < len([url for url in asked if "/static/" in url]) <= AT_ONCE, asked
    assert desk.page.evaluate("window.sizesAsked") == []
    assert 0 < sum(script.with_name(f"{script.name}.gz").stat().st_size for script in scripts) <= MOST_SCRIPT


def test_a_cold_page_of_a_task_makes_few_requests_and_works(desk, task, collected):
    cold(desk, collected, lambda: desk.open(task))
    press(desk.page, "y", "4", "h", "Enter")
    moved_on(desk.page, task)


def test_a_cold_page_of_a_list_makes_few_requests_and_works(new_desk, rater, bring, collected):
    task, desk = bring(), new_desk(rater)
    cold(desk, collected, lambda: desk.open(task))
    press(desk.page, *"a1b2")
    assert rows(desk.page)[:2] == ["A", "B"]


@pytest.mark.thorough
def test_a_cold_page_of_a_pair_makes_few_requests_and_works(desk, pair_study, first, collected):
    task = first(pair_study())
    cold(desk, collected, lambda: desk.open(task))
    press(desk.page, "d", "ArrowDown", "Enter")
    moved_on(desk.page, task)
    assert [row["answers"] for row in answers_to(task)] == [{"better": "tie"}]


def before_the_script(desk, task):
    """Open the task, and hold its script back; the function returned lets it arrive."""
    held, page = [], desk.page
    page.route("**/js/desk.*.js", lambda route: held.append(route))
    page.goto(f"{desk.address}/work/{task.key}/", wait_until="commit")
    page.locator("#submit").wait_for()
    return page, lambda: held[0].continue_()


def test_keys_and_clicks_that_come_before_the_script_count_once_and_in_order(desk, task):
    page, let_arrive = before_the_script(desk, task)
    press(page, "y", "2", "5")
    page.locator("[data-theme-switch]").click()
    page.locator("#help-button").click()
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    let_arrive()
    expect(page.locator("#question-2 :checked")).to_have_value("5")
    expect(page.locator("#question-1 :checked")).to_have_count(1)
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    saved(page)


def test_a_key_that_has_scrolled_the_page_before_the_script_does_not_scroll_it_again(new_desk, rater, task):
    desk = new_desk(rater, viewport={"width": 390, "height": 500})
    page, let_arrive = before_the_script(desk, task)
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") >= 40
    press(page, "ArrowDown")
    page.evaluate(SCROLLED)
    press(page, "?")
    let_arrive()
    expect(page.locator("#help")).to_be_visible()
    assert page.evaluate("window.scrollY") == 40


def test_keys_that_come_before_the_script_answer_no_other_task(desk, task):
    desk.open(task)
    press(desk.page, "y", "5")
    saved(desk.page)
    desk.page.route("**/submit/", lambda route: route.abort())
    press(desk.page, "Enter")
    expect(desk.page.locator("#state")).to_have_text("offline, saved in this browser")
    desk.page.goto("about:blank")
    desk.page.unroute("**/submit/")
    page, let_arrive = before_the_script(desk, task)
    press(page, "y", "2", "?")
    let_arrive()
    moved_on(page, task)
    page.locator("#help-button").click()  # "?" would have opened it, and this click would close it
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator(".question :checked")).to_have_count(0)
    assert [row["answers"] for row in answers_to(task)] == [{"follows": True, "how_well": 5}]


@pytest.mark.thorough
def test_a_page_that_opens_in_a_hidden_tab_is_measured_without_being_painted(new_desk, rater, task):
    desk = new_desk(rater, viewport={"width": 390, "height": 844})
    desk.page.add_init_script(f"({HIDDEN})()")
    desk.open(task)
    expect(desk.page.locator("#pane-document")).to_have_attribute("role", "tabpanel")


@pytest.mark.thorough
def test_a_cold_page_in_arabic_makes_few_requests_and_works(desk, rater, task, collected):
    save_preferences(rater, language="ar")
    cold(desk, collected, lambda: desk.open(task), "محفوظ")
