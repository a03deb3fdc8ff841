"""The page on which researchers plan a study's cost."""

import pytest

from tests.recruiting.stop_studies import stopping_study
from tests.reports.computing import compute_requested

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


def test_an_input_with_an_error_is_marked_as_a_choice_is_and_as_high_as_before(power):
    height = power().locator("#id_goal").bounding_box()["height"]
    page = power("?figure=alpha&aim=power&goal=2")
    page.locator("h1").click()
    wrong = [page.locator(name).evaluate(COLOURS) for name in ("#id_aim", "#id_goal")]
    assert wrong[0] == wrong[1]
    assert wrong[0] != page.locator("#id_seed").evaluate(COLOURS)
    assert page.locator("#id_goal").bounding_box()["height"] == height
