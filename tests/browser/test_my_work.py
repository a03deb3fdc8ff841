"""An annotator's own pages in a real browser: the guidelines before the first task, my answers, my day."""

import re

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Effort, Submission, flag, skip, submit
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Guideline, Rater, Study
from tests.browser.accessibility import findings
from tests.browser.conftest import moved_on

FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when the ferry sails."]}


@pytest.fixture
def worked(study, rater):
    for _ in range(2):
        assignment = next_assignment(study, rater_for(study, rater))
        submit(assignment, Submission(FORM, 0, 1, effort=Effort(90.0, 80.0)))
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, 0, 1), "I know the author.")
    return study


def test_the_first_task_opens_when_the_guidelines_are_confirmed(desk, study, rater):
    page = desk.page
    page.goto(desk.address)
    page.get_by_role("link", name="Start").press("Enter")
    expect(page.get_by_role("heading", name="Read the guidelines first")).to_be_visible()
    assert not Rater.objects.filter(person=rater, guidelines_read=1).exists()
    page.get_by_role("button", name="I have read the guidelines").press("Enter")
    page.wait_for_url("**/work/**")
    assert Rater.objects.get(person=rater).guidelines_read == 1


def test_an_answer_is_found_and_revised_from_the_list(desk, worked, rater):
    page = desk.page
    flag(Assignment.objects.order_by("pk")[1], "The text breaks off.")
    next_assignment(worked, rater_for(worked, rater))
    Assignment.objects.filter(pk=Assignment.objects.latest("pk").pk).update(draft={"q-comment": ["Half done."]})
    page.goto(desk.address)
    expect(page.locator(".work")).to_contain_text("Rating of single outputs · about 2 min per task")
    page.get_by_role("link", name="My answers").click()
    expect(page.locator(".my-answer")).to_have_count(4)
    for name, words in (("Flagged", "The text breaks off."), ("Not submitted", "Not submitted")):
        page.get_by_role("link", name=name).click()
        expect(page.locator(".my-answer")).to_have_count(1)
        expect(page.locator(".my-answer").first).to_contain_text(words)
    page.get_by_role("link", name="Skipped").click()
    expect(page.locator(".my-answer")).to_have_count(1)
    expect(page.locator(".my-answer")).to_contain_text("I know the author.")
    page.get_by_role("link", name="All", exact=True).click()
    page.get_by_label("Search texts and comments").fill("ferry sails")
    page.get_by_role("button", name="Search").click()
    page.locator(".my-answer a").last.click()
    page.wait_for_url("**/work/**")
    desk.choose(2, "barely")
    page.keyboard.press("Enter")
    expect(page.locator("#submit")).to_contain_text("Submit and next")
    assert Annotation.objects.filter(revision=2, is_current=True, answers__contains='"how_well":2').count() == 1


@pytest.mark.thorough
def test_a_search_counts_its_answers_and_leads_back_to_all(desk, worked):
    page = desk.page
    page.goto(f"{desk.address}/studies/study/my-answers/")
    counted = page.locator("p[role=status]")
    expect(counted).to_have_text("3 tasks")
    search = page.get_by_label("Search texts and comments")
    search.fill("when the ferry")
    search.press("Enter")
    expect(counted).to_have_text("2 tasks with “when the ferry”")
    page.get_by_role("link", name="Skipped").click()  # the search stays
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    page.get_by_role("link", name="Show all my answers").click()
    expect(counted).to_have_text("3 tasks")


@pytest.mark.thorough
def test_answers_under_older_guidelines_are_found(desk, worked):
    Guideline.objects.create(study=worked, number=2, text="Read *twice*.")
    page = desk.page
    page.goto(f"{desk.address}/studies/study/my-answers/")
    page.get_by_role("link", name="Older guidelines").click()
    expect(page.locator(".my-answer")).to_have_count(2)
    expect(page.locator(".my-answer").first).to_contain_text("under guidelines version 1; the current one is 2")
    page.locator(".my-answer a").first.click()
    page.wait_for_url("**/work/**")
    desk.choose(2, "barely")
    page.keyboard.press("Enter")
    expect(page.locator("#submit")).to_contain_text("Submit and next")
    page.goto(f"{desk.address}/studies/study/my-answers/?show=changed")
    expect(page.locator(".my-answer")).to_have_count(1)


def test_my_day_is_that_of_the_browser(new_desk, worked, rater):
    desk = new_desk(rater, timezone_id="Asia/Tokyo")
    desk.page.goto(f"{desk.address}/my-day/")
    desk.page.wait_for_url("**zone=Asia%2FTokyo")
    today = desk.page.locator("#my-day")
    expect(today).to_contain_text("2 answers, 1 skipped")
    expect(today).to_contain_text("3 min active time")
    expect(today.locator("tbody tr")).to_have_text(re.compile(r"A study\s*2\s[\s\S]*3\s+min"))
    expect(desk.page.locator("#last-days tbody tr")).to_have_count(7)
    today.get_by_role("link", name="A study").click()
    expect(desk.page.get_by_role("heading", name="My answers")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(390, 844), (1366, 768)])
def test_axe_finds_nothing_on_my_pages(new_desk, worked, rater, axe, size):
    desk = new_desk(rater, viewport={"width": size[0], "height": size[1]})
    for path in ("/", "/studies/study/begin/", "/studies/study/my-answers/", "/my-day/?zone=UTC"):
        desk.page.goto(desk.address + path)
        assert findings(desk.page, axe) == [], path
        wide = "[...document.querySelectorAll('html, .scroll-x')].some((box) => box.scrollWidth > box.clientWidth)"
        assert not desk.page.evaluate(wide), path


def test_a_reason_for_skipping_is_chosen_or_written(desk, study, task):
    Study.objects.update(options={"skip_reasons": ["Too long", "Not my field"]})
    page = desk.open(task)
    page.keyboard.press("s")
    expect(page.locator("#skip-reason")).to_be_hidden()
    page.get_by_role("button", name="Skip this task").click()
    expect(page.locator("#skip-error")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("s")
    page.get_by_label("Other", exact=True).check()
    page.locator("#skip-reason").fill("My cat")
    other = page.locator("#desk").get_attribute("data-assignment")
    page.get_by_role("button", name="Skip this task").click()
    expect(page.locator("#desk")).not_to_have_attribute("data-assignment", other)
    assert list(Annotation.objects.order_by("pk").values_list("reason", flat=True)) == ["Not my field", "My cat"]
