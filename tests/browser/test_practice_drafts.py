"""What is typed into a practice task is there again after a reload, also if the server could not be reached."""

import pytest
from playwright.sync_api import expect

from annotation.members.membership import rater_for
from parts.way_in.models import PracticeAnswer, StepPassage
from parts.way_in.practice_drafts import draft_of
from tests.browser.conftest import saved
from tests.parts.way_in.way_in_study import QUALIFICATION, study_with_steps


@pytest.fixture
def practice(new_desk, transactional_db, owner, rater):
    """A browser at the first of two tasks of a qualification."""
    study = study_with_steps(owner, rater, [QUALIFICATION])
    rater_for(study, rater)
    desk = new_desk(rater)
    desk.page.goto(f"{desk.address}/studies/study/way-in/")
    desk.page.get_by_role("button", name="Start").click()
    desk.page.wait_for_url("**/way-in/task/")  # and until its scripts run
    return desk


def test_a_reload_keeps_what_was_chosen_until_the_answer_is_sent(practice):
    page = practice.page
    practice.choose(1, "Yes")
    practice.choose(2, "4")
    saved(page)
    page.wait_for_function("!Object.keys(localStorage).some((name) => name.startsWith('practice:'))")
    assert draft_of(StepPassage.objects.get(), 0).form == {"q-follows": ["true"], "q-how_well": ["4"]}
    page.reload()
    expect(page.locator("[name=q-how_well][value='4']")).to_be_checked()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("2 of 2")).to_be_visible()
    expect(page.locator("[name=q-follows]:checked")).to_have_count(0)
    assert PracticeAnswer.objects.get().answers == {"follows": True, "how_well": 4}


def test_what_the_server_never_got_comes_back_from_the_browser(practice):
    page = practice.page
    page.route("**/draft/", lambda route: route.abort())
    practice.choose(1, "Yes")
    expect(page.locator("#state")).to_contain_text("saved in this browser")
    assert draft_of(StepPassage.objects.get(), 0).version == 0
    page.unroute("**/draft/")
    page.reload()
    expect(page.locator("[name=q-follows][value=true]")).to_be_checked()
    saved(page)
    page.wait_for_function("!Object.keys(localStorage).some((name) => name.startsWith('practice:'))")
    assert draft_of(StepPassage.objects.get(), 0).form == {"q-follows": ["true"]}
