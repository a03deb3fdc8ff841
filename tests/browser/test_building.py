"""The page that builds a draft study, in a real browser, beside its preview of the page for raters."""

import pytest
from playwright.sync_api import expect

from annotation.models import Assignment, Question, Study
from tests.browser.accessibility import findings
from tests.managing.drafts_in_forms import PROTOCOLS, demo_draft, empty_draft

SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def building(new_desk, owner):
    """A function that opens the builder of a study as its owner."""

    def open_page(study, **options):
        desk = new_desk(owner, **options)
        desk.page.goto(f"{desk.address}/studies/{study.slug}/build/")
        return desk.page

    return open_page


def preview_of(page):
    return page.frame_locator("[data-preview-frame]")


def test_by_mouse_alone_an_empty_draft_becomes_a_rating_study(building, owner):
    study = empty_draft(owner)
    page = building(study)
    shown = preview_of(page)
    expect(shown.locator("#desk")).to_contain_text("The harbour office")
    page.get_by_role("button", name="Yes or no").click()
    expect(shown.locator("fieldset.binary")).to_have_count(1)
    page.get_by_role("button", name="Scale of steps").click()
    expect(shown.locator("fieldset.likert label.choice")).to_have_count(5)
    page.get_by_role("group", name="Question 2").get_by_role("button", name="Up").click()
    expect(shown.locator(".question").first).to_have_class("question likert")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".messages, .notice.success").first).to_contain_text("Saved.")
    assert list(Question.objects.values_list("key", "type")) == [("likert", "likert"), ("binary", "binary")]
    assert not Assignment.objects.exists()


@pytest.mark.thorough
def test_the_preview_follows_what_is_typed_and_nothing_in_it_is_sent(building, owner):
    study = demo_draft("rating", owner)
    page = building(study)
    shown = preview_of(page)
    expect(shown.locator("#question-1-text")).to_contain_text("Does the output follow")
    sent = []
    page.on("request", lambda request: request.method != "GET" and sent.append(request.url))
    field = page.get_by_label("Question", exact=True).first
    field.fill("Is it what was asked for?")
    expect(shown.locator("#question-1-text")).to_contain_text("Is it what was asked for?")
    expect(field).to_be_focused()
    shown.locator("fieldset.binary label").first.click()
    expect(shown.locator("fieldset.likert")).to_be_enabled()
    shown.locator("fieldset.likert label").nth(4).click()
    shown.get_by_role("button", name="Submit and next").click()
    shown.get_by_role("link", name="My studies").click()
    shown.get_by_role("button", name="Skip").click()
    shown.locator("#skip-reason").fill("No reason")
    shown.get_by_role("button", name="Skip this task").click()
    expect(shown.locator("#question-1-text")).to_contain_text("Is it what was asked for?")
    assert {url.partition("/build/")[2] for url in sent} == {"preview/"}
    assert not Assignment.objects.exists()


def test_problems_are_beside_their_fields_and_nothing_typed_is_lost(building, owner):
    study = demo_draft("rating", owner)
    page = building(study)
    question = page.locator(".question-card").nth(1)
    question.get_by_label("Lowest step").fill("one")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Seed").fill("dice")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").first).to_contain_text("Not saved: 2 problems.")
    expect(question.locator(".field-error")).to_contain_text("Min and max must be integers")
    expect(question.get_by_label("Lowest step")).to_have_value("one")
    expect(page.get_by_label("Seed")).to_have_value("dice")
    expect(page.locator("#preview-note")).to_contain_text("1 question with problems is not shown")
    question.get_by_label("Lowest step").fill("1")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".messages, .notice.success").first).to_contain_text("Saved.")
    assert Study.objects.get().options["seed"] == 7


@pytest.mark.thorough
def test_a_choice_shows_the_fields_that_it_needs_and_keeps_what_was_typed(building, owner):
    study = demo_draft("pairwise", owner)
    page = building(study)
    page.get_by_label("Question", exact=True).first.fill("Typed and not saved")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Pairs to compare").select_option("A balanced sample of each item's pairs")
    page.get_by_label("Pairs per item").fill("2")
    expect(page.get_by_label("Question", exact=True).first).to_have_value("Typed and not saved")
    reason = page.locator(".question-card").nth(1)
    reason.get_by_text("More", exact=True).click()
    reason.get_by_label("Type").select_option("Scale of steps")
    expect(reason.get_by_label("Highest step")).to_have_value("5")
    expect(preview_of(page).locator("fieldset.likert")).to_have_count(1)
    page.get_by_label("Asked only after").select_option("better")
    page.get_by_label("and the answer").select_option("Tie")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".messages, .notice.success").first).to_contain_text("Saved.")
    assert Study.objects.get().options["pairs"] == {"sample": 2}
    assert Question.objects.get(key="reason").spec["when"] == {"question": "better", "equals": "tie"}


@pytest.mark.thorough
def test_without_scripts_questions_are_added_and_saved(building, owner):
    study = empty_draft(owner)
    page = building(study, java_script_enabled=False)
    page.get_by_role("button", name="Yes or no").click()
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".question-card")).to_have_count(2)
    expect(preview_of(page).locator(".question")).to_have_count(2)
    page.get_by_role("group", name="Question 1").get_by_role("button", name="Remove").click()
    page.get_by_label("Question", exact=True).fill("Why?")
    page.get_by_role("button", name="Update").click()
    expect(preview_of(page).locator(".question")).to_contain_text("Why?")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".question-name")).to_have_text("Why?")
    assert Question.objects.get().text == "Why?"


@pytest.mark.thorough
def test_by_keyboard_a_question_is_added_moved_and_removed(building, owner):
    page = building(demo_draft("rating", owner))
    page.get_by_role("button", name="Text", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#id_questions-3-text")).to_be_focused()
    page.get_by_role("group", name="Question 4").get_by_role("button", name="Up").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Question 3").get_by_role("button", name="Up")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Question 2").get_by_role("button", name="Up")).to_be_focused()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_axe_finds_nothing_on_the_builder(building, owner, axe, protocol, size):
    page = building(
        demo_draft(protocol, owner), viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce"
    )
    expect(preview_of(page).locator("#desk")).to_be_visible()
    for part in page.locator("details[data-fold]").all():
        part.evaluate("part => (part.open = true)")
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
