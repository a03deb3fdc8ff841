"""The researchers' page about the care of raters, and the page of an excluded rater, in a browser."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.members.standing import exclude
from annotation.models import Rater
from parts.checks.models import RaterNotice
from reports.kept.kept_reports import compute_here
from tests.browser.accessibility import findings

FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}


@pytest.fixture
def checked(study, owner, rater):
    """A study with a rater of a few answers whom a rule has met, and one who is excluded."""
    mine = rater_for(study, rater)
    submit(next_assignment(study, mine), Submission(FORM, revision=0, guidelines_version=1))
    rule = {"figure": "gold", "below": 0.6, "of": 5, "do": "ask"}
    RaterNotice.objects.create(rater=mine, rule=rule, share=0.4, number=5)
    other = Rater.objects.create(study=study, name="hasty")
    exclude(other, "Answers in two seconds, always the same.", owner)
    compute_here(study, "rater_checks", {})
    return study


@pytest.mark.thorough
def test_a_researcher_excludes_a_rater_who_answers(new_desk, checked, owner, rater, axe):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/{checked.slug}/rater-checks/")
    expect(desk.page.get_by_role("heading", name="Agreement with and without the excluded")).to_be_visible()
    assert findings(desk.page, axe) == []
    desk.page.set_viewport_size({"width": 390, "height": 800})
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= 390
    desk.page.locator("td summary").first.click()
    desk.page.locator("td textarea[name=reason]").first.fill("Never reads the document.")
    desk.page.locator("td details button").first.click()
    expect(desk.page.get_by_text("Their answers are kept")).to_be_visible()

    told = new_desk(rater)
    told.page.goto(told.address)
    told.page.get_by_role("link", name="Why, and what you can do").click()
    expect(told.page.get_by_text("Never reads the document.")).to_be_visible()
    assert findings(told.page, axe) == []
    told.page.get_by_label("Your answer").fill("I know them by heart.")
    told.page.get_by_role("button", name="Send").click()
    expect(told.page.get_by_text("I know them by heart.")).to_be_visible()
