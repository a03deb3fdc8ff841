"""Watching a study in a browser: flags, progress and disagreement, by mouse and under axe."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import FlagAnswer
from tests.browser.accessibility import findings
from tests.conftest import make_person
from tests.reports.computing import compute_requested

SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def answered(study, rater, owner):
    """Two annotators' answers to every task; the first flags one more."""
    second = make_person("second")
    add_member(study, second, "annotator", owner)
    flagged = next_assignment(study, rater_for(study, rater))
    flag(flagged, "The output stops in the middle.")
    form = {"q-follows": ["true"], "q-how_well": ["2"], "q-comment": ["Nine is missing."]}
    submit(flagged, Submission(form, revision=1, guidelines_version=1))
    for person, values in ((rater, "1532"), (second, "33433")):
        for value in values:
            assignment = next_assignment(study, rater_for(study, person))
            submit(assignment, Submission(form | {"q-how_well": [value]}, revision=0, guidelines_version=1))
    return study


def opened(desk, study, path):
    desk.page.goto(f"{desk.address}/studies/{study.slug}/{path}")
    return desk.page


def test_a_researcher_goes_from_the_overview_to_a_flag_and_the_annotator_reads_the_answer(
    new_desk, answered, owner, rater
):
    page = opened(new_desk(owner), answered, "")
    page.get_by_role("link", name="10 comments to read").wait_for()
    page.get_by_role("link", name="1 flag to resolve").click()
    page.get_by_label("Note to the annotator").fill("It is whole now.")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("No flagged tasks to resolve")).to_be_visible()
    page.get_by_role("link", name="Comments", exact=True).click()
    page.get_by_role("button", name="Mark these 10 as read").click()
    expect(page.get_by_text("No unread comments")).to_be_visible()
    theirs = new_desk(rater)
    theirs.page.goto(f"{theirs.address}/")
    theirs.page.get_by_role("link", name="1 answer to your flags").click()
    expect(theirs.page.get_by_text("It is whole now.")).to_be_visible()
    theirs.page.get_by_role("button", name="Mark as read").click()
    expect(theirs.page.get_by_text("(new)")).to_have_count(0)
    assert FlagAnswer.objects.get().seen_at is not None


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_on_the_pages_that_watch_a_study(new_desk, answered, owner, axe, size):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    page = opened(desk, answered, "")
    page.get_by_role("link", name="Pace, raters and leases").click()
    expect(page.get_by_role("heading", name="Tasks in progress")).to_be_visible()
    looked_at(page, axe, size)
    page.get_by_role("link", name="Where raters disagree").click()
    expect(page.get_by_text("Computing the figures")).to_be_visible()
    compute_requested()
    expect(page.get_by_role("heading", name="What stands out")).to_be_visible()
    page.get_by_label("Question").select_option("how_well")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**question=how_well**")
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    looked_at(page, axe, size)
    for kind in ("flagged", "comments"):
        looked_at(opened(desk, answered, f"attention/?kind={kind}"), axe, size)


def looked_at(page, axe, size):
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
