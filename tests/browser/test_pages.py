"""The pages around the desk in a real browser: axe in light and dark, no sideways scrolling, and what scripts do."""

import re

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.models import Membership
from config.background.claiming import run_waiting
from tests.browser.accessibility import findings
from tests.conftest import make_person
from tests.reports.computing import compute_requested

PAGES = (
    "", "people/", "invitations/", "attention/", "guidelines/", "guidelines/edit/", "settings/", "report/", "tokens/",
)  # fmt: skip


@pytest.fixture
def rated(study, rater):
    """A study with answers of two raters and a flag."""
    second = make_person("second")
    add_member(study, second, "annotator", None)
    for person, values in ((rater, "12345"), (second, "12344")):
        for value in values:
            given = next_assignment(study, rater_for(study, person))
            form = {"q-follows": ["true"], "q-how_well": [value]}
            submit(given, Submission(form, revision=0, guidelines_version=1))
    flag(next_assignment(study, rater_for(study, rater)), "The document is cut.")
    return study


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_pages_around_the_desk(new_desk, rated, owner, rater, axe, size):
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
    paths = [("owner", owner, f"/studies/study/{page}") for page in PAGES]
    paths += [("owner", owner, "/"), ("owner", owner, "/statistics/"), ("owner", owner, "/password/"),
              ("owner", owner, "/api/"), ("rater", rater, "/"), ("rater", rater, "/nothing/"),
              ("rater", rater, "/studies/study/guidelines/"),
              ("nobody", None, "/sign-in/"), ("nobody", None, invite(rated, "annotator", owner)[0])]  # fmt: skip
    desks = {name: new_desk(person, **options) for name, person, _ in paths}
    for name, _, path in paths:
        page = desks[name].page
        page.goto(desks[name].address + path)
        if path == "/studies/study/":
            page.get_by_text("Computing the figures").wait_for()  # now they are requested
            compute_requested()
            page.locator(".glances").wait_for()
        if path.endswith("/report/"):
            compute_requested()
            page.get_by_role("heading", name="How well?").wait_for()
        assert findings(page, axe) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path


@pytest.mark.thorough
def test_a_long_preparation_goes_on_by_itself_and_ends_on_the_study(new_desk, make_study, owner, monkeypatch):
    study = make_study("long", items=4)
    Membership.objects.create(study=study, person=owner, role="owner")
    monkeypatch.setattr("annotation.studies.preparing_tasks.FEW_ITEMS", 1)
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/long/")
    desk.page.get_by_role("button", name="Go live").click()
    expect(desk.page.get_by_role("heading", name="Preparing the items")).to_be_visible()
    run_waiting()
    expect(desk.page.get_by_text("The study is live: annotators can start.")).to_be_visible()
    study.refresh_from_db()
    assert study.status == "live"


@pytest.mark.thorough
def test_links_are_made_and_taken_up_in_another_browser(new_desk, study, owner):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/study/invitations/")
    desk.page.get_by_label("How many links").fill("2")
    desk.page.get_by_role("button", name="Create links").click()
    links = desk.page.locator("#links").input_value().split("\n")
    assert len(links) == 2
    guest = new_desk()
    guest.page.goto(links[1])
    guest.page.get_by_label("User name").fill("guest")
    guest.page.get_by_label("Password").fill("a password of some length")
    guest.page.get_by_role("button", name="Join the study").click()
    expect(guest.page.get_by_role("heading", name="My work")).to_be_visible()
    expect(guest.page.get_by_role("link", name="Start")).to_be_visible()


@pytest.mark.thorough
def test_the_overview_fetches_its_figures_of_agreement(new_desk, rated, owner):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/study/")
    expect(desk.page.get_by_text("Computing the figures")).to_be_visible()
    compute_requested()
    expect(desk.page.locator(".glances").get_by_text("Alpha, interval")).to_be_visible()


def test_a_report_appears_when_it_is_done_and_newer_figures_replace_it(new_desk, rated, owner, rater):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/study/report/")
    expect(desk.page.get_by_text("Computing the figures")).to_be_visible()
    compute_requested()
    expect(desk.page.get_by_role("heading", name="How well?")).to_be_visible()
    flag(next_assignment(rated, rater_for(rated, rater)), "The document is short.")
    desk.page.reload()
    expect(desk.page.get_by_text("Newer figures are being computed")).to_be_visible()
    compute_requested()
    expect(desk.page.get_by_text("Newer figures are being computed")).to_have_count(0)
    expect(desk.page.get_by_role("heading", name="How well?")).to_be_visible()


@pytest.mark.thorough
def test_a_bar_of_local_alpha_leads_to_its_items(new_desk, rated, owner, axe):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/study/report/")
    compute_requested()
    bars = desk.page.locator(".histogram svg a")
    expect(bars.first).to_be_visible()
    assert findings(desk.page, axe) == []
    count = bars.first.locator("text").text_content()
    bars.first.focus()
    desk.page.keyboard.press("Enter")
    expect(desk.page).to_have_url(re.compile(r"/items/\?question=\w+&alpha="))
    compute_requested()
    desk.page.reload()
    expect(desk.page.locator("table.items tbody tr")).to_have_count(int(count))
    expect(desk.page.locator(".chosen")).to_contain_text("local alpha")
