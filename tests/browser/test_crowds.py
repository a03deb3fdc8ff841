"""Somebody from Prolific in a browser: from the link through consent and tasks to the code and the way back."""

import pytest
from django.test import Client
from playwright.sync_api import expect

from parts.crowds.models import CrowdStay
from tests.browser.accessibility import findings
from tests.parts.crowds.crowd_study import LINK, PROLIFIC, crowd_study
from tests.parts.way_in.way_in_study import CONSENT

IDS = "PROLIFIC_PID=60d1f1a2b3c4d5e6f7a8b9c0&STUDY_ID=61aa&SESSION_ID=61bb"


def fits(page, width):
    return page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.fixture
def study(live_server, owner):
    return crowd_study(owner, steps=[CONSENT], recruiter={**PROLIFIC, "intro": "Read and rate two texts."}, link=LINK)


@pytest.mark.parametrize("width", [390, pytest.param(1366, marks=pytest.mark.thorough)])
def test_a_participant_walks_from_the_link_to_the_code(new_desk, study, width):
    desk = new_desk(viewport={"width": width, "height": 844})
    page = desk.page
    page.goto(f"{desk.address}/studies/study/enter/?{IDS}")
    expect(page.get_by_text("Read and rate two texts.")).to_be_visible()
    assert fits(page, width)
    page.get_by_role("button", name="Start").click()
    page.get_by_label("I have read this and agree to it.").check()
    assert fits(page, width)
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I have read the guidelines").click()
    for _ in range(2):
        before = page.url
        desk.choose(1, "Yes")
        desk.choose(2, "5")
        page.get_by_role("button", name="Submit and next").click()
        page.wait_for_url(lambda address, before=before: address != before)
    page.get_by_role("button", name="Finish and get my code").click()
    expect(page.get_by_text("CDONE1", exact=True)).to_be_visible()
    back = page.get_by_role("link", name="Return to Prolific")
    assert back.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=CDONE1"
    assert fits(page, width)
    assert CrowdStay.objects.get().outcome == "complete"


@pytest.mark.thorough
@pytest.mark.parametrize("width", [390, 1366])
def test_the_pages_of_links_pass_axe_and_fit(new_desk, study, owner, axe, width):
    desk = new_desk(viewport={"width": width, "height": 844})
    page = desk.page
    for address in (f"enter/?{IDS}", "enter/", "join/"):
        page.goto(f"{desk.address}/studies/study/{address}")
        assert (address, findings(page, axe), fits(page, width)) == (address, [], True)
    visitor = Client()
    visitor.post("/studies/study/enter/", dict(pair.split("=") for pair in IDS.split("&")))
    CrowdStay.objects.update(outcome="timed_out", ended_at="2026-01-01T00:00Z", code="CLATE1")
    desk.context.add_cookies([{"name": "sessionid", "value": visitor.cookies["sessionid"].value, "url": desk.address}])
    for address in ("studies/study/outcome/", ""):
        page.goto(f"{desk.address}/{address}")
        assert (address, findings(page, axe), fits(page, width)) == (address, [], True)
    researcher = new_desk(owner, viewport={"width": width, "height": 844})
    for address in ("submissions/", "entry-links/"):
        researcher.page.goto(f"{researcher.address}/studies/study/{address}")
        assert (address, findings(researcher.page, axe), fits(researcher.page, width)) == (address, [], True)
