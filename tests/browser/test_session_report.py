"""The report on sessions in a real browser: axe in light and dark, and no sideways scrolling."""

import pytest

from files.reading import import_study
from tests.browser.accessibility import findings
from tests.reports.computing import compute_requested
from tests.sessions.conftest import folder  # noqa: F401
from tests.sessions.test_files import SESSION, changed


@pytest.fixture
def reported(folder, owner):  # noqa: F811
    """Two sessions of two models with second ratings."""
    sessions = [SESSION, changed(id="s/2", item="q2", model="a-house-with-a-long-name/a-model-with-a-longer-one")]
    second = [
        {"session": session, "turn": turn, "rater": "bob", "question": "rating", "value": value}
        for session, turn, value in (("s/1", 1, "bad"), ("s/1", 2, "good"), ("s/2", 2, "neutral"))
    ]
    return import_study(folder(files={"sessions": sessions, "ratings": second}), owner=owner).study


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_report_on_sessions(new_desk, reported, owner, axe, size):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    desk.page.goto(f"{desk.address}/studies/{reported.slug}/report/")
    compute_requested()
    desk.page.locator("svg.parts").first.wait_for()
    assert desk.page.locator("svg.parts").count() == 2
    assert findings(desk.page, axe) == []
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= size[0]
