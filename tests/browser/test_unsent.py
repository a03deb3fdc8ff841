"""Answers that the server refuses stay where the person can see, copy, send or discard them; a page on its way out is
held, so that nothing is typed into it."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Assignment, Membership
from annotation.studies.lifecycle import close
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.test_keeping import COMMENT, rate

OURS = {"X-Request-Id": "1"}


def refused(page, task, status=400):
    """The answer of a page, refused by the server with this status."""
    page.route("**/submit/", lambda route: route.fulfill(status=status, body="Odd field.", headers=OURS))
    rate(page)
    saved(page)
    page.keyboard.press("Control+Enter")
    return page


def on_home(desk):
    page = desk.tab()
    page.goto(f"{desk.address}/")
    return page, page.locator("#unsent .card")


def test_an_answer_that_is_refused_stays_in_the_form_and_on_the_home_page(desk, task):
    page = refused(desk.open(task), task)
    expect(page.locator("#message")).to_have_text("Not accepted: Odd field. Your answer is still here.")
    expect(page.get_by_label("Why?")).to_have_value(COMMENT)
    page.close()
    page, kept = on_home(desk)
    expect(kept).to_contain_text("Odd field.")
    assert kept.get_by_label("Your answer").input_value().endswith(COMMENT)
    kept.get_by_role("button", name="Send again").click()
    expect(page.locator("#unsent")).to_contain_text("Your answer is saved.")
    expect(kept).to_have_count(0)
    page.reload()
    expect(page.locator("#unsent")).to_be_hidden()
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]


@pytest.mark.thorough
def test_a_refused_answer_that_is_sent_at_last_is_kept_no_longer(desk, task):
    page = refused(desk.open(task), task)
    expect(page.locator("#message")).to_contain_text("Odd field.")
    page.unroute("**/submit/")
    page.get_by_label("Why?").press("Control+Enter")
    moved_on(page, task)
    expect(page.locator("#unsent-line")).to_have_count(0)
    expect(on_home(desk)[0].locator("#unsent")).to_be_hidden()


def test_the_answer_to_a_task_that_is_gone_is_shown_on_the_home_page_until_it_is_discarded(desk, study, rater, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    Assignment.objects.filter(pk=task.pk).delete()
    page.keyboard.press("Control+Enter")
    kept = page.locator("#unsent .card")
    expect(kept).to_contain_text("This task is no longer open to you.")
    shown = f"Does it follow?\nYes\n\nHow well?\n4 mostly\n\nWhy?\n{COMMENT}"
    expect(kept.get_by_label("Your answer")).to_have_value(shown)
    other = desk.open(next_assignment(study, rater_for(study, rater)), desk.tab())
    expect(other.locator("#unsent-line")).to_contain_text("An answer was not accepted.")
    page.reload()
    kept.get_by_role("button", name="Send again").click()
    expect(kept).to_contain_text("This task is no longer open to you.")
    kept.get_by_role("button", name="Discard").click()
    kept.get_by_role("button", name="Discard for good").click()
    page.reload()
    expect(page.locator("#unsent")).to_be_hidden()


@pytest.mark.thorough
def test_what_was_typed_on_a_task_that_is_gone_is_shown_before_it_is_sent(desk, task):
    page = desk.open(task)
    Assignment.objects.filter(pk=task.pk).delete()
    page.get_by_label("Why?").fill(COMMENT)
    expect(page.locator("#unsent textarea")).to_have_value(f"Why?\n{COMMENT}")


def test_a_draft_that_an_earlier_answer_replaces_is_kept(desk, task):
    page = refused(desk.open(task), task)
    page.get_by_label("Why?").fill("A better thought")
    saved(page)
    page.unroute("**/submit/")
    page.reload()
    expect(page.get_by_label("Why?")).to_have_value("A better thought")
    page.get_by_role("button", name="Send it again").click()
    moved_on(page, task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]
    kept = on_home(desk)[1]
    expect(kept).to_contain_text("You sent an earlier answer instead of this draft.")
    assert kept.get_by_label("Your answer").input_value().endswith("A better thought")


def test_an_answer_of_a_closed_tab_that_is_refused_is_shown_by_the_next_task(desk, study, rater, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    page.route("**/submit/", lambda route: route.abort())
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("offline, saved in this browser")
    page.close()
    Assignment.objects.filter(pk=task.pk).delete()
    other = desk.open(next_assignment(study, rater_for(study, rater)), desk.tab())
    expect(other.locator("#unsent-line")).to_contain_text("An answer was not accepted.")
    for key in ("y", "4", "Enter"):
        other.keyboard.press(key)
    expect(other.locator(".desk-progress")).to_contain_text("1 of")
    kept = on_home(desk)[1]
    expect(kept).to_have_count(1)
    assert kept.get_by_label("Your answer").input_value().endswith(COMMENT)


def test_another_person_sees_no_answer_that_was_refused(new_desk, study, rater, stranger, task):
    Membership.objects.create(study=study, person=stranger, role="annotator")
    desk = new_desk(rater)
    page = refused(desk.open(task), task)
    expect(page.locator("#message")).to_contain_text("Odd field.")
    desk.sign_in(stranger)
    expect(on_home(desk)[0].locator("#unsent")).to_be_hidden()
    desk.sign_in(rater)
    expect(on_home(desk)[1]).to_have_count(1)


def conflicting(desk, task):
    """A page whose answer met another one."""
    page, other = desk.open(task), desk.open(task, desk.tab())
    rate(other, "From the other tab")
    other.get_by_label("Why?").press("Control+Enter")
    moved_on(other, task)
    other.close()
    rate(page)
    expect(page.locator("#message")).to_contain_text("submitted in another tab")
    page.get_by_label("Why?").press("Control+Enter")
    expect(page.locator("[data-part=notices]")).to_contain_text("This task was changed in another tab")
    return page


def test_a_conflict_survives_a_closed_tab_and_comes_back_with_both_answers(desk, task):
    conflicting(desk, task).close()
    page = desk.open(task, desk.tab())
    expect(page.get_by_label("Why?")).to_have_value("From the other tab")
    page.get_by_role("button", name="Send it again").click()
    notice = page.locator("[data-part=notices]")
    expect(notice).to_contain_text("From the other tab")
    expect(page.get_by_label("Why?")).to_have_value(COMMENT)
    page.get_by_role("button", name="Submit mine instead").click()
    moved_on(page, task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == ["From the other tab", COMMENT]
    expect(on_home(desk)[0].locator("#unsent")).to_be_hidden()


@pytest.mark.thorough
def test_keeping_the_saved_answer_discards_the_other_for_good(desk, task):
    page = conflicting(desk, task)
    page.get_by_label("Why?").fill("And more")
    page.get_by_role("link", name="Keep the saved answer").click()
    expect(page.locator("[data-part=notices]")).to_contain_text("You submitted this")
    expect(page.get_by_label("Why?")).to_have_value("From the other tab")
    expect(page.locator("#unsent-line")).to_have_count(0)
    assert Assignment.objects.get(pk=task.pk).draft is None


@pytest.mark.thorough
def test_an_answer_to_a_study_that_was_closed_is_kept(desk, study, owner, task):
    page = desk.open(task)
    rate(page)
    page.get_by_label("Why?").press("Control+Enter")
    moved_on(page, task)
    desk.open(task)
    page.get_by_label("Why?").fill("Changed too late")
    saved(page)
    close(study, owner)
    page.get_by_label("Why?").press("Control+Enter")
    expect(page.locator("#message")).to_contain_text("This study is closed")
    expect(page.get_by_label("Why?")).to_have_value("Changed too late")
    kept = on_home(desk)[1]
    assert "Changed too late" in kept.get_by_label("Your answer").input_value()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_where_refused_answers_are_shown(new_desk, rater, task, axe, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
    page = refused(desk.open(task), task)
    expect(page.locator("#message")).to_contain_text("Odd field.")
    page.reload()
    expect(page.locator("#unsent-line")).to_be_visible()
    assert findings(page, axe) == []
    home, kept = on_home(desk)
    expect(kept).to_be_visible()
    assert findings(home, axe) == []
    assert home.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.thorough
def test_a_page_is_held_while_the_next_one_is_loaded(desk, study, rater, task):
    page, held = desk.open(task), []
    rate(page)
    page.get_by_label("Why?").press("Control+Enter")
    moved_on(page, task)
    page.route(f"**/work/{task.key}/", lambda route: held.append(route))
    page.keyboard.press("y")
    saved(page)
    with page.expect_request(f"**/work/{task.key}/"):
        page.locator("#previous").click()
    expect(page.locator("#answer")).to_have_attribute("inert", "")
    page.keyboard.press("4")
    expect(page.locator("#question-2 :checked")).to_have_count(0)
    held[0].abort()
    expect(page.locator("#message")).to_contain_text("You're offline.")
    page.keyboard.press("4")
    expect(page.locator("#question-2 :checked")).to_have_count(1)
    saved(page)
