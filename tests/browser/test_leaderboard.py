"""The pages that compare judges with people, in a real browser: axe in light and dark, and no sideways scrolling."""

import pytest

from annotation.members.membership import add_member
from tests.browser.accessibility import findings
from tests.reports.compared_study import imported, probed
from tests.reports.computing import compute_requested


@pytest.fixture
def compared(tmp_path, owner):
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    probed(made, "even", 1, 40)
    return made


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_pages_about_judges(new_desk, compared, owner, axe, size):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    page, study = desk.page, f"{desk.address}/studies/{compared.slug}"
    page.goto(f"{study}/leaderboard/?panel=even&panel=far")
    compute_requested()
    page.locator(".judge-card").first.wait_for()
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    assert page.locator(".judge-card").count() == 6
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.get_by_role("link", name="AUC").first.click()
    page.wait_for_url("**sort=auc_roc**")
    page.get_by_role("button", name="Freeze this report").click()
    page.get_by_role("heading", name="What was compared").wait_for()
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.goto(f"{study}/tables/?panel=even&panel=far")
    page.locator(".report-table").first.wait_for()
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_details_of_a_report(new_desk, compared, owner, axe, size):
    desk = new_desk(owner, viewport={"width": size[0], "height": size[1]})
    page = desk.page
    page.goto(f"{desk.address}/studies/{compared.slug}/report/")
    compute_requested()
    page.get_by_role("heading", name="How the study was done").wait_for()
    page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
    for name in ("Ranks and letters", "Distribution of answers", "Raters against raters", "Log of exclusions"):
        assert page.get_by_text(name).first.is_visible(), name
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    wide = "[...document.querySelectorAll('pre.wrapped')].filter((one) => one.scrollWidth > one.clientWidth).length"
    assert page.evaluate(wide) == 0
