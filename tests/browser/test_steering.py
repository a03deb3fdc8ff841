"""An owner's plan, balance and unblinding in a browser, and how their pages look to axe and on a phone."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotation.models import Item, Question, Slot, Study
from annotation.studies import lifecycle
from reports.kept.kept_reports import compute_here
from tests.browser.accessibility import findings
from tests.conftest import make_person

PICTURES = os.environ.get("PICTURES")


@pytest.fixture
def desk(new_desk, owner):
    return new_desk(owner)


def picture(page, name):
    """Save pictures of a page, light and wide and dark and narrow, if PICTURES names a folder."""
    if PICTURES:
        page.screenshot(path=str(Path(PICTURES) / f"{name}-1366.png"), full_page=True)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 844})
        page.screenshot(path=str(Path(PICTURES) / f"{name}-390.png"), full_page=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1366, "height": 768})


def fits(page):
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    page.set_viewport_size({"width": 1366, "height": 768})
    return wide <= 0


def test_a_plan_is_shown_as_a_table_and_then_applies(desk, study, axe):
    Study.objects.filter(pk=study.pk).update(status="draft")
    Slot.objects.filter(study=study).update(state="open", holder=None, lease_until=None)
    page = desk.page
    page.goto(f"{desk.address}/studies/study/settings/")
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Assignment plan").click()
    page.get_by_label("Items in the core").fill("1")
    page.get_by_label("Raters per task in the core").fill("3")
    page.get_by_label("Most tasks per annotator").fill("4")
    page.get_by_label("Only these items for rater").fill("item-1")
    page.get_by_role("button", name="Show what this makes").click()
    expect(page.get_by_role("heading", name="What this plan would make")).to_be_visible()
    expect(page.get_by_text("Some tasks need 3 raters, but the study has 1 annotator.")).to_be_visible()
    assert findings(page, axe) == []
    assert fits(page)
    picture(page, "plan")
    page.get_by_role("button", name="Apply this plan").click()
    expect(page.get_by_text("The plan is saved.")).to_be_visible()
    page.goto(f"{desk.address}/studies/study/")
    page.get_by_role("button", name="Go live").click()
    expect(page.get_by_text("The study is live")).to_be_visible()
    assert Slot.objects.filter(study=study).exclude(kept_for="").count() == 3
    assert desk.faults == []


@pytest.fixture
def blinded(study, owner):
    """A study of pairs, blinded."""
    options = {"blind_researchers": True}
    pairs = Study.objects.create(slug="pairs", title="Pairs", protocol="pairwise", redundancy=2, options=options)
    Question.objects.create(study=pairs, position=0, key="better", type="preference", text="Which is better?")
    pairs.memberships.create(person=owner, role="owner")
    pairs.memberships.create(person=make_person("dora"), role="annotator")
    for number in range(6):
        item = Item.objects.create(study=pairs, key=f"item-{number}", document="At nine.", digest=f"{number}")
        for place, system in enumerate(("system-north", "system-south")):
            item.outputs.create(position=place, key=system, text=f"At {place}.", digest="x")
    lifecycle.prepare(pairs, 5)
    lifecycle.make_live(pairs, owner)
    return pairs


@pytest.mark.thorough
def test_an_owner_reads_the_balance_by_codes_and_unblinds_the_study(desk, blinded, axe):
    compute_here(blinded, "balance", {})
    page = desk.page
    page.goto(f"{desk.address}/studies/pairs/balance/")
    expect(page.get_by_role("heading", name="Planned slots")).to_be_visible()
    expect(page.get_by_role("rowheader", name="System ").first).to_be_visible()
    assert "system-north" not in page.content()
    assert findings(page, axe) == []
    assert fits(page)
    picture(page, "balance")
    page.goto(f"{desk.address}/studies/pairs/settings/")
    assert findings(page, axe) == []
    assert fits(page)
    picture(page, "settings")
    page.get_by_text("Unblind", exact=True).click()
    page.get_by_label("Reason").fill("The figures are final.")
    page.get_by_role("button", name="Unblind the study").click()
    expect(page.get_by_text("The figures are final.")).to_be_visible()
    compute_here(Study.objects.get(pk=blinded.pk), "balance", {})
    page.goto(f"{desk.address}/studies/pairs/balance/")
    expect(page.get_by_role("rowheader", name="system-north").first).to_be_visible()
    assert desk.faults == []


@pytest.mark.thorough
def test_a_closed_study_is_locked_and_archived_by_mouse(desk, study, owner, axe):
    lifecycle.close(study, owner)
    page = desk.page
    page.goto(f"{desk.address}/studies/study/settings/")
    page.get_by_role("combobox", name="Project").fill("Ferries")
    page.get_by_role("button", name="Save project").click()
    page.get_by_role("button", name="Lock the study").click()
    expect(page.get_by_text("corrections need a reason")).to_be_visible()
    assert findings(page, axe) == []
    picture(page, "locked")
    page.get_by_role("button", name="Archive the study").click()
    expect(page.get_by_role("button", name="Bring back")).to_be_visible()
    page.goto(f"{desk.address}/")
    page.get_by_role("link", name="Archived").click()
    expect(page.get_by_role("link", name="Ferries")).to_be_visible()
    assert findings(page, axe) == []
    picture(page, "archived")
    assert desk.faults == []
