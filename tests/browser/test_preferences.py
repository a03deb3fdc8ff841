"""A person's own options on the desk: single keys, submitting by itself, phrases for comments."""

import pytest
from playwright.sync_api import expect

from accounts.models import Person
from accounts.preferences import preferences_of, save_preferences
from annotation.models import Study
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on

WAITING = "Press Esc or tap to stay."


def test_keys_that_are_off_are_off_in_every_browser(new_desk, study, rater, task):
    first = new_desk(rater)
    page = first.open(task)
    page.keyboard.press("?")
    with page.expect_response("**/my-settings/keys/"):
        page.get_by_label("Keys are on").uncheck()
    second = new_desk(rater)
    other = second.open(task)
    other.keyboard.press("y")
    expect(other.locator("#question-1 :checked")).to_have_count(0)
    other.locator("#help-button").click()
    expect(other.get_by_label("Keys are on")).not_to_be_checked()
    with other.expect_response("**/my-settings/keys/"):
        other.get_by_label("Keys are on").check()
    other.keyboard.press("Escape")
    other.keyboard.press("y")
    expect(other.locator("#question-1 :checked")).to_have_count(1)


def test_a_task_is_submitted_by_itself_when_all_is_answered(desk, rater, task):
    save_preferences(rater, submits_itself=True)
    page = desk.open(task)
    page.keyboard.press("y")
    expect(page.locator("#message")).not_to_contain_text(WAITING)
    page.keyboard.press("4")
    expect(page.locator("#message")).to_contain_text(WAITING)
    moved_on(page, task)
    assert [one["answers"] for one in answers_to(task)] == [{"follows": True, "how_well": 4}]


def test_escape_and_a_comment_keep_the_task(desk, rater, task):
    save_preferences(rater, submits_itself=True)
    page = desk.open(task)
    page.clock.install()
    page.keyboard.press("y")
    for stop in ("Escape", "c"):
        page.keyboard.press("4")
        expect(page.locator("#message")).to_contain_text(WAITING)
        page.keyboard.press(stop)
        expect(page.locator("#message")).to_be_empty()
        page.clock.run_for(5_000)
    assert answers_to(task) == []
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))


def test_a_saved_phrase_is_inserted_where_the_cursor_is(desk, rater, task):
    page = desk.page
    page.goto(f"{desk.address}/my-settings/")
    page.get_by_label("Phrases for comments").fill("It leaves out the time.\nIt is too long.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
    assert preferences_of(Person.objects.get(pk=rater.pk)).phrases == ["It leaves out the time.", "It is too long."]
    desk.open(task)
    page.keyboard.press("y")
    page.keyboard.press("4")
    comment = page.locator("#question-3 textarea")
    comment.fill("Well:")
    page.get_by_label("Insert a phrase").select_option("It is too long.")
    expect(comment).to_have_value("Well: It is too long.")
    expect(comment).to_be_focused()
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"]["comment"] == "Well: It is too long."


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 844), (1366, 768)])
def test_axe_finds_nothing_in_my_settings_and_on_a_desk_with_them(new_desk, task, rater, axe, size):
    save_preferences(rater, phrases=["It is too long."])
    Study.objects.update(options={"skip_reasons": ["Too long", "Not my field"]})
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
    desk.page.goto(f"{desk.address}/my-settings/")
    assert findings(desk.page, axe) == []
    page = desk.open(task)
    assert findings(page, axe) == []
    page.locator("#skip-button").click()
    page.get_by_label("Other", exact=True).check()
    assert findings(page, axe) == []
