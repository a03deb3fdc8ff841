"""The annotators' pages in other languages in a real browser: rating from right to left by keyboard, and the width."""

import pytest
from playwright.sync_api import expect

from accounts.languages import LANGUAGES
from accounts.models import Person
from accounts.preferences import preferences_of, save_preferences
from annotation.models import Study
from tests.browser.conftest import answers_to, moved_on

LONGEST = ("ar", "de")
"""Languages that `make test` looks at: the one from right to left and the one with the longest words."""
ADDRESSES = (
    "/", "/my-settings/", "/studies/study/begin/", "/studies/study/guidelines/", "/studies/study/my-answers/",
    "/my-day/?zone=UTC", "/my-data/", "/password/", "/nowhere/", "/studies/study/notes/", "/my-settings/tokens/",
    "/studies/study/my-messages/", "/studies/study/my-messages/study/", "/studies/study/my-standing/",
)  # fmt: skip
TOO_WIDE = """[...document.querySelectorAll('html, .scroll-x, .desk-top, .desk-actions, .desk-actions-start')]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.className || box.tagName)"""
LEFTS = "(all) => all.map((one) => one.getBoundingClientRect().left)"
OVERLAPS = """[...document.querySelectorAll('.desk-actions button')].some((one, place, all) => all.slice(place + 1)
    .some((two) => { const [a, b] = [one, two].map((node) => node.getBoundingClientRect());
      const inner = node => node.closest('.desk-actions-start');
      return inner(one) && inner(two) && a.left < b.right && b.left < a.right; }))"""


def test_a_task_is_rated_in_arabic_by_keyboard(new_desk, rater, task):
    save_preferences(rater, language="ar")
    desk = new_desk(rater, locale="ar-EG")
    page = desk.open(task)
    root = page.locator("html")
    assert (root.get_attribute("lang"), root.get_attribute("dir")) == ("ar", "rtl")
    reading = page.locator('[data-text="output"]')
    assert reading.evaluate("(node) => getComputedStyle(node).direction") == "ltr"  # the text keeps its own
    steps = page.locator("#question-2 .step").evaluate_all(LEFTS)
    assert steps == sorted(steps)  # an English scale rises to the right
    assert page.locator("#pane-document").bounding_box()["x"] > page.locator("#pane-output").bounding_box()["x"]
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#state")).to_have_text("محفوظ")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert answers_to(task)[-1]["answers"] == {"follows": True, "how_well": 4}
    page.keyboard.press("u")
    expect(page.locator(".desk-notices")).to_contain_text("تم التراجع عن الإرسال.")


def test_a_scale_of_an_arabic_study_rises_to_the_left_in_any_language(new_desk, rater, task):
    Study.objects.update(language="ar")
    desk = new_desk(rater)
    page = desk.open(task)
    steps = page.locator("#question-2 .step").evaluate_all(LEFTS)
    assert steps == sorted(steps, reverse=True)


def test_what_scripts_say_is_in_the_language_and_fits_in_its_line_on_phones(new_desk, rater, task):
    save_preferences(rater, language="de")
    desk = new_desk(rater, viewport={"width": 390, "height": 844})
    page = desk.open(task)
    page.locator("#submit").click()
    expect(page.locator("#message")).to_have_text("2 Fragen sind noch offen. Ihr Entwurf ist gespeichert.")
    assert page.locator("#message").bounding_box()["height"] < 25
    page.keyboard.press("y")
    expect(page.locator("#message")).to_have_text("1 Frage ist noch offen. Ihr Entwurf ist gespeichert.")


@pytest.mark.thorough
def test_tabs_follow_the_direction_of_the_page(new_desk, rater, task):
    save_preferences(rater, language="ar")
    desk = new_desk(rater, viewport={"width": 390, "height": 844})
    page = desk.open(task)
    page.locator("#tab-output").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tab-document")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-output")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize(
    "language", [pytest.param(one, marks=[pytest.mark.thorough] * (one not in LONGEST)) for one in LANGUAGES]
)
def test_no_page_is_wider_than_a_phone(new_desk, rater, task, language):
    save_preferences(rater, language=language)
    desk = new_desk(rater, viewport={"width": 390, "height": 844})
    for address in (f"/work/{task.key}/", *ADDRESSES):
        desk.page.goto(desk.address + address)
        assert desk.page.locator("html").get_attribute("lang") == language, address
        assert desk.page.evaluate(TOO_WIDE) == [], address
    desk.open(task)
    assert not desk.page.evaluate(OVERLAPS)


@pytest.mark.thorough
def test_the_language_is_chosen_before_signing_in_and_the_time_zone_is_told_once(new_desk, rater):
    desk = new_desk(None, locale="de-DE", timezone_id="Asia/Tokyo")
    desk.page.goto(f"{desk.address}/sign-in/")
    expect(desk.page.get_by_role("heading", name="Anmelden")).to_be_visible()
    desk.page.locator(".language-menu summary").click()
    expect(desk.page.locator(".language-menu")).to_contain_text("noch nicht von Muttersprachlern geprüft")
    desk.page.get_by_role("button", name="español").click()
    expect(desk.page.get_by_role("heading", name="Iniciar sesión")).to_be_visible()
    desk.sign_in(rater)
    with desk.page.expect_response("**/my-settings/time-zone/"):
        desk.page.goto(desk.address)
    assert preferences_of(Person.objects.get(pk=rater.pk)).time_zone == "Asia/Tokyo"
