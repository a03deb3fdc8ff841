"""Errors that the server found: they go when their cause is gone, and the focus goes to what is missing."""

from playwright.sync_api import expect

from annotation.models import Question
from tests.browser.conftest import answers_to, moved_on

DRAFTED = "Your draft is saved."


def test_an_error_goes_as_soon_as_its_question_is_answered(desk, task):
    page = desk.open(task)
    page.locator("#submit").click()
    first, second = (page.locator(f"#question-{number}") for number in (1, 2))
    expect(page.locator("#message")).to_have_text(f"2 questions still need an answer. {DRAFTED}")
    expect(first.locator("input").first).to_be_focused()
    place = second.bounding_box()
    page.keyboard.press("y")
    expect(first.locator(".field-error")).to_be_hidden()
    expect(first).not_to_have_attribute("aria-invalid", "true")
    expect(first).to_have_accessible_description("")
    expect(page.locator("#message")).to_have_text(f"1 question still needs an answer. {DRAFTED}")
    assert second.bounding_box() == place
    page.keyboard.press("3")
    expect(page.locator(".field-error:visible")).to_have_count(0)
    expect(page.locator("#message")).to_have_text("")


def test_an_error_stays_while_its_cause_does(desk, study, task):
    study.questions.filter(key="comment").update(required=True, spec={"min_words": 3, "max_words": 4})
    page = desk.open(task)
    for key in ("y", "4"):
        page.keyboard.press(key)
    page.get_by_label("Why?").fill("Too short")
    page.locator("#submit").click()
    error = page.locator("#question-3 .field-error")
    expect(error).to_be_visible()
    expect(page.get_by_label("Why?")).to_be_focused()
    page.get_by_label("Why?").fill("Still short")
    expect(error).to_be_visible()
    page.get_by_label("Why?").fill("Now much too long again")
    expect(error).to_be_visible()
    page.get_by_label("Why?").fill("Long enough now")
    expect(error).to_be_hidden()


def test_the_focus_goes_to_the_first_question_that_is_missing(desk, study, task):
    Question.objects.create(study=study, position=4, key="kind", type="category", text="Kind?",
                            spec={"choices": ["Too long", "Wrong"]})  # fmt: skip
    page = desk.open(task)
    page.keyboard.press("y")
    page.locator("#question-4 label").first.click()
    page.locator("#submit").click()
    expect(page.locator("#question-2 input").first).to_be_focused()
    page.keyboard.press("2")
    page.locator("#submit").click()
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"follows": True, "how_well": 2, "kind": "Too long"}


def test_the_error_of_a_skip_without_a_reason_goes_when_it_is_given(desk, task):
    page = desk.open(task)
    page.keyboard.press("s")
    page.get_by_role("button", name="Skip this task").click()
    expect(page.locator("#skip-error")).to_be_visible()
    page.get_by_label("Why are you skipping this task?").fill("Not my language.")
    expect(page.locator("#skip-error")).to_be_hidden()
