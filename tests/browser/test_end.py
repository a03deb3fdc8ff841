"""The page after the last task, and what an undo says."""

import pytest
from playwright.sync_api import expect

from accounts.preferences import save_preferences
from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Slot
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on


@pytest.fixture
def last(study, task):
    """The only task that is left to anybody."""
    Slot.objects.exclude(task=task.task_id).delete()
    return task


def submitted(desk, task):
    page = desk.open(task)
    for key in ("y", "4", "Enter"):
        page.keyboard.press(key)
    return page


def skipped(desk, task):
    page = desk.open(task)
    page.keyboard.press("s")
    page.get_by_label("Why are you skipping this task?").fill("Not my language.")
    page.get_by_role("button", name="Skip this task").click()
    return page


def test_after_the_last_task_the_end_is_said_and_undo_opens_the_answer_again(desk, last):
    page = submitted(desk, last)
    expect(page.get_by_role("heading", level=1)).to_have_text("All done. Thank you.")
    expect(page.locator(".lead")).to_contain_text("You answered 1 task.")
    undo = page.get_by_role("button", name="Undo last submit", exact=True)
    expect(undo).to_have_attribute("aria-keyshortcuts", "u")
    page.wait_for_load_state()  # the key works once the page's script has run
    page.keyboard.press("u")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(last.key))
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    expect(page.locator("[data-part=notices]")).to_contain_text("Submission undone.")


@pytest.mark.thorough
def test_without_single_keys_no_key_undoes_the_last_answer(desk, rater, last):
    page = submitted(desk, last)
    save_preferences(rater, keys_off=True)
    page.reload(wait_until="networkidle")
    undo = page.get_by_role("button", name="Undo last submit", exact=True)
    expect(undo).not_to_have_attribute("aria-keyshortcuts", "u")
    undone = []
    page.on("request", lambda request: undone.append(request.method == "POST"))
    page.keyboard.press("u")
    page.reload()
    expect(undo.locator("kbd")).to_have_count(0)
    assert not any(undone)
    assert [row["status"] for row in answers_to(last)] == ["submitted"]


def test_a_skip_is_no_answer_and_undoing_it_says_so(desk, last):
    page = skipped(desk, last)
    expect(page.locator(".lead")).to_contain_text("You skipped 1 task.")
    page.get_by_role("button", name="Undo skip").click()
    expect(page.locator("[data-part=notices]")).to_contain_text("Skip undone.")
    expect(page.locator(".desk-progress")).to_contain_text("0 of 1")
    assert [row["status"] for row in answers_to(last)] == ["skipped", "withdrawn"]


@pytest.mark.thorough
def test_a_skip_is_undone_from_the_next_task(desk, task):
    page = skipped(desk, task)
    moved_on(page, task)
    expect(page.locator(".desk-progress")).to_contain_text("0 of 5")
    expect(page.locator("#undo")).to_contain_text("Undo skip")
    page.keyboard.press("u")
    expect(page.locator("[data-part=notices]")).to_contain_text("Skip undone.")


def test_while_others_have_the_last_tasks_the_page_can_look_again(desk, study, last, stranger):
    Slot.objects.filter(task=last.task_id).exclude(holder=last.rater_id).update(state="open", holder=None)
    other = Slot.objects.filter(holder=last.rater_id).get()
    twin = next_assignment(study, rater_for(study, stranger))
    assert twin.task_id == other.task_id
    Slot.objects.filter(holder=last.rater_id).delete()
    page = desk.page
    page.goto(f"{desk.address}/studies/study/end/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nothing free right now")
    expect(page.get_by_role("button", name="Check again")).to_be_visible()


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_page_of_the_end(new_desk, rater, last, axe, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page = submitted(desk, last)
    expect(page.get_by_role("heading", level=1)).to_have_text("All done. Thank you.")
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
