"""Everything that can be tapped on a desk and in its drawers has room for a finger, on phones and on tablets."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from config.background.claiming import run_waiting
from tests.browser.conftest import saved
from tests.browser.targets import TAPPED, small_targets
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures
from tests.browser.test_room_to_read import demo_task
from tests.browser.test_sessions import LONG
from tests.fewer import first_cases
from tests.sessions.conftest import folder, instruct, models, session, study, turned  # noqa: F401 - fixtures

TOUCH = {"has_touch": True, "is_mobile": True}
NEXT_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""A page hears of its new size in the next frame, and fits its questions then."""
SIZES = [(1366, 1024), (820, 1180), (390, 844), (390, 664), (360, 740), (740, 360)]


def too_small(page, sizes) -> dict:
    """The controls without room for a finger, by the size of the screen and what is open."""
    found = {}
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("size => innerWidth === size", arg=width)
        page.evaluate(NEXT_FRAMES)
        for tab in (None, *page.get_by_role("tab").all()):
            if tab is not None and not tab.is_visible():
                continue
            if tab is not None:
                tab.tap()
            if small := small_targets(page, TAPPED):
                found[width, height, tab and tab.inner_text()] = small
        for drawer in page.locator("[popover]").all():
            drawer.evaluate("node => node.showPopover()")
            if small := small_targets(page, TAPPED, "[popover]"):
                found[width, height, drawer.get_attribute("id")] = small
            drawer.evaluate("node => node.hidePopover()")
    return found


QUICK = [(820, 1180), (390, 844), (360, 740)]
on_sizes = pytest.mark.parametrize(
    "sizes",
    [QUICK, pytest.param([one for one in SIZES if one not in QUICK], marks=pytest.mark.thorough)],
    ids=["usual", "others"],
)


@on_sizes
@pytest.mark.parametrize("protocol", first_cases(["listwise", "rating", "pairwise"]))
def test_a_desk_has_room_for_fingers(new_desk, rater, pair_study, first, protocol, sizes):
    task = first(pair_study((LONG, LONG), document=LONG)) if protocol == "pairwise" else demo_task(protocol, rater)
    page = new_desk(rater, **TOUCH).open(task)
    saved(page)
    assert too_small(page, sizes) == {}


@pytest.mark.thorough
@on_sizes
def test_a_session_has_room_for_fingers_at_each_step(new_desk, rater, session, models, sizes):
    models.script = [f"The ferry sails at nine [1], and at noon [0].\n\n{LONG}", "Shorter [0]."]
    turned(session, "Say when.", "good")
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    desk = new_desk(rater, **TOUCH)
    page = desk.page
    page.goto(desk.address + reverse("revision_sessions:session", args=[key]))
    assert too_small(page, sizes) == {}
    instruct(session, "Shorter.")
    run_waiting()
    page.reload()
    expect(page.locator("#step")).to_have_text("Rate turn 2")
    assert too_small(page, sizes) == {}
