"""A thread from both sides, a pause, and the second stage, in a browser."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from parts.rater_messages.models import RaterMessage
from parts.second_stage.settings import set_stage
from tests.browser.accessibility import findings
from tests.conftest import make_person

NARROW = {"width": 390, "height": 844}


def fits(page):
    """Whether the page is no wider than a phone."""
    page.set_viewport_size(NARROW)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 1366, "height": 768})
    return wide <= NARROW["width"]


def test_a_rater_asks_about_a_task_and_a_researcher_replies(new_desk, study, owner, rater, task, axe):
    asks, office = new_desk(rater), new_desk(owner)
    asks.open(task)
    with asks.context.expect_page() as opened:
        asks.page.get_by_role("link", name="Ask about this task").click()
    thread = opened.value
    thread.get_by_label("Message").fill("Which harbour\nis meant?")
    thread.get_by_role("button", name="Send").click()
    expect(thread.get_by_text("Not opened yet")).to_be_visible()
    assert findings(thread, axe) == []
    assert fits(thread)

    office.page.goto(f"{office.address}/studies/study/")
    office.page.get_by_role("link", name="1 thread of messages waits for a reply").click()
    assert findings(office.page, axe) == []
    assert fits(office.page)
    office.page.get_by_role("link", name=f"{task.rater.name} about {task.task.item.key}").click()
    expect(office.page.get_by_text("Which harbour")).to_be_visible()
    office.page.get_by_label("Message").fill("The northern one.")
    office.page.get_by_role("button", name="Send").click()
    expect(office.page.get_by_text("Sent to rater-")).to_be_visible()
    assert findings(office.page, axe) == []
    assert fits(office.page)

    asks.page.goto(asks.address)
    asks.page.get_by_role("link", name="1 new message").click()
    assert fits(asks.page)
    assert findings(asks.page, axe) == []
    asks.page.get_by_role("link", name="Say when it sails.").click()
    expect(asks.page.get_by_text("The northern one.")).to_be_visible()
    office.page.reload()
    expect(office.page.get_by_text("Not opened yet")).to_have_count(0)
    assert None not in RaterMessage.objects.values_list("seen_at", flat=True)


@pytest.mark.thorough
def test_a_researcher_pauses_a_rater(new_desk, study, owner, rater, task, axe):
    office = new_desk(owner)
    office.page.goto(f"{office.address}/studies/study/people/")
    assert fits(office.page)
    office.page.get_by_role("link", name=f"Pause {task.rater.name}").click()
    assert findings(office.page, axe) == []
    office.page.get_by_label("Reason").fill("Please read the guidelines again.")
    office.page.get_by_role("button", name="Pause rater").click()
    told = new_desk(rater)
    told.page.goto(told.address)
    told.page.get_by_role("link", name="Why, and what you can do").click()
    expect(told.page.get_by_text("Please read the guidelines again.")).to_be_visible()
    assert findings(told.page, axe) == []
    office.page.get_by_role("link", name=f"Resume {task.rater.name}").click()
    office.page.get_by_role("button", name="Resume").click()
    expect(office.page.get_by_text("gets tasks again")).to_be_visible()


@pytest.fixture
def judge(study, rater, owner):
    """A third annotator; the two others disagree about everything."""
    second, third = make_person("second"), make_person("judge")
    for person, value in ((rater, "2"), (second, "4")):
        add_member(study, person, "annotator", None)
        while assignment := next_assignment(study, rater_for(study, person)):
            form = {"q-follows": ["true"], "q-how_well": [value]}
            submit(assignment, Submission(form, revision=0, guidelines_version=1))
    add_member(study, third, "annotator", None)
    rater_for(study, third)
    set_stage(study, None, owner, on=True)
    return third


@pytest.mark.thorough
def test_an_annotator_gives_final_answers(new_desk, study, judge, axe):
    desk = new_desk(judge)
    desk.page.goto(desk.address)
    desk.page.get_by_role("link", name="Final answers").click()
    assert findings(desk.page, axe) == []
    assert fits(desk.page)
    desk.page.get_by_role("button", name="Save and next").click()
    expect(desk.page.get_by_text("is missing").first).to_be_visible()
    for question in desk.page.locator("fieldset").all():
        question.get_by_role("radio").nth(3).check()
    desk.page.get_by_label("Reason").fill("It says so.")
    desk.page.get_by_role("button", name="Save and next").click()
    expect(desk.page.get_by_text("Saved.")).to_be_visible()
    expect(desk.page.get_by_role("heading", name="Final answers")).to_be_visible()
