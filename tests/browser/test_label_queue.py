"""The queue for labelling turns in a browser: by keys alone, and how it looks to axe on a laptop and on a phone."""

import pytest
from playwright.sync_api import expect

from config.background.claiming import run_waiting
from sessions import steps
from sessions.label_samples import draw_labels
from sessions.models import TurnLabel
from tests.browser.accessibility import findings
from tests.sessions.conftest import begun, folder, models, session, study, turned  # noqa: F401 - fixtures

# ruff: noqa: F811 - the names of fixtures


@pytest.fixture
def sampled(session, models, study):
    """A sample of three turns, two of which used passages."""
    turned(session, "Shorter, and without the part about the trains, which nobody asked for.", "bad")
    turned(session, "What does it cost?", "neutral", "information")
    turned(session, "And in winter?", "good", "information")
    steps.finish(session)
    begun(study, session.rater.person)
    run_waiting()
    return draw_labels(study, kind="instruction_type", source="all", size=3, per_model=False, seed=0)


def at(desk, place):
    desk.page.goto(f"{desk.address}/studies/revising/sessions/labels/{place}")
    return desk.page


def test_a_sample_is_labelled_and_corrected_by_keys_alone(new_desk, owner, sampled):
    page = at(new_desk(owner), f"{sampled.pk}/")
    said = page.locator("#done")
    expect(said).to_contain_text("0 of 3 labelled · showing 1")
    page.keyboard.press("5")
    expect(said).to_contain_text("1 of 3 labelled · showing 2")
    page.keyboard.press("9")
    expect(said).to_contain_text("2 of 3 labelled · showing 3")
    page.keyboard.press("p")
    expect(said).to_contain_text("showing 2")
    expect(page.locator("[aria-pressed=true]")).to_contain_text("others")
    page.keyboard.press("1")
    expect(said).to_contain_text("showing 3")
    page.keyboard.press("6")
    expect(page.get_by_role("heading", name="All labelled")).to_be_visible()
    current = TurnLabel.objects.filter(is_current=True).values_list("value", flat=True)
    assert set(current) == {"asking for more information", "condense", "remove"}
    assert TurnLabel.objects.get(value="others").is_current is False


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
@pytest.mark.parametrize("place", ["", "queue"])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(new_desk, owner, sampled, axe, size, place):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    page = at(desk, f"{sampled.pk}/" if place else "")
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
