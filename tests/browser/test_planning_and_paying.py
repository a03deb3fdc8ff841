"""The pages on which researchers plan a study's cost and see what to pay: figures in view, fields on one line."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.members.membership import add_member, rater_for
from parts.crowds.models import CrowdBrowser, CrowdStay
from tests.conftest import make_person
from tests.parts.crowds.crowd_study import crowd_study
from tests.parts.stopping.stop_studies import stopping_study
from tests.reports.computing import compute_requested

ASKED = "?figure=win_rate&aim=power&goal=0.8&share=0.7&runs=60&most_items=400&pay_per_hour=20&fixed_cost=1500"
COLOURS = """node => ["borderTopColor", "boxShadow"].map((one) => getComputedStyle(node)[one])"""


@pytest.fixture
def power(new_desk):
    """A function that opens the page Power and cost of a study with this address, in a window of this width."""
    study, person = stopping_study(None, items=20)

    def open_page(asked="", width=1366):
        desk = new_desk(person, viewport={"width": width, "height": 844})
        address = f"{desk.address}/studies/{study.slug}/power/{asked}"
        desk.page.goto(address)
        if compute_requested():
            desk.page.goto(address)
        return desk.page

    return open_page


@pytest.mark.thorough
def test_the_inputs_of_a_row_are_on_one_line(power):
    tops = (
        power()
        .locator(".field-grid :is(input, select)")
        .evaluate_all("nodes => nodes.slice(0, 4).map((node) => node.getBoundingClientRect().top)")
    )
    assert tops == pytest.approx([tops[0]] * 4, abs=0.5)


@pytest.mark.thorough
def test_an_input_with_an_error_is_marked_as_a_choice_is_and_as_high_as_before(power):
    height = power().locator("#id_goal").bounding_box()["height"]
    page = power("?figure=alpha&aim=power&goal=2")
    page.locator("h1").click()
    wrong = [page.locator(name).evaluate(COLOURS) for name in ("#id_aim", "#id_goal")]
    assert wrong[0] == wrong[1]
    assert wrong[0] != page.locator("#id_seed").evaluate(COLOURS)
    assert page.locator("#id_goal").bounding_box()["height"] == height


def test_sizes_are_all_in_view_on_a_phone_and_hours_have_a_decimal(power):
    page = power(ASKED, width=390)
    table = page.get_by_role("region", name="Sizes")
    assert table.evaluate("node => node.scrollWidth <= node.clientWidth")
    first = table.locator("tbody tr").first
    minutes, hours = (first.locator(f"td[data-label={name}]").inner_text() for name in ("Minutes", "Hours"))
    assert re.fullmatch(r"\d+\.\d", hours)
    assert float(hours) == pytest.approx(float(minutes) / 60, abs=0.06)
    assert first.locator("th").evaluate("node => getComputedStyle(node, '::before').content") == '"Raters per item: "'
    below = page.locator("#power .scroll-x + p").bounding_box()["y"]
    assert below >= table.bounding_box()["y"] + table.bounding_box()["height"] + 8


@pytest.mark.thorough
def test_submissions_have_room_for_what_is_said_of_a_rater(new_desk, owner):
    study, now = crowd_study(owner), timezone.now()
    for number in range(5):
        person = make_person(f"guest-{number}")
        add_member(study, person, "annotator", None)
        CrowdStay.objects.create(
            study=study, rater=rater_for(study, person), source="recruiter", entered_at=now - timedelta(hours=1),
            ended_at=now, outcome="complete", code="ABCDEFGHJKLM",
        )  # fmt: skip
        CrowdBrowser.objects.create(study=study, person=person, key="k" * 64, is_public=False)
    desk = new_desk(owner)
    page = desk.page
    page.goto(f"{desk.address}/studies/study/submissions/")
    expect(page.locator(".submissions tbody tr")).to_have_count(5)
    assert page.locator(".submissions tbody th").first.bounding_box()["width"] >= 190
    entered = page.locator("[data-label='Entered (UTC)']").first
    assert entered.evaluate("node => { const range = document.createRange(); range.selectNodeContents(node);"
                            " return range.getClientRects().length }") == 1  # fmt: skip
    assert page.locator(".card.scroll-x").evaluate("node => node.scrollWidth <= node.clientWidth")
