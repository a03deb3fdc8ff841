"""Reports on paper: with all that the page shows, nothing cut, few A4 pages, and on a phone with estimates in view."""

import io

import pytest
from pypdf import PdfReader

from annotation.members.membership import add_member
from files.reading import import_study
from tests.reports.compared_study import imported, probed
from tests.reports.computing import compute_requested

MOST_PAGES = 4
A4 = {"width": 794, "height": 1123}
MARGINS = 2 * 49
"""Pixels of the page's margins, left and right."""
CUT = """() => {
  const right = document.documentElement.clientWidth + 1, found = [];
  for (const one of document.querySelectorAll("main *")) {
    const box = one.getBoundingClientRect();
    if (!box.width || !box.height || one.closest(".visually-hidden, [hidden]")) continue;
    const words = one.textContent.trim().slice(0, 40);
    if (box.right > right || box.left < -1) found.push(`outside: ${one.tagName} ${words}`);
    const style = getComputedStyle(one);
    if (style.overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1 && !one.closest("svg")) {
      found.push(`cut: ${one.tagName} ${words}`);
    }
    if (one.matches("svg.chart text")) {
      const frame = one.closest("svg").getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(`outside its drawing: ${words}`);
    }
  }
  return found;
}"""


@pytest.fixture
def hanna(reference_data, owner):
    study = import_study(reference_data / "hanna").study
    add_member(study, owner, "owner", None)
    return study


def report_of(desk, study):
    """The page of the report with all its figures."""
    page = desk.page
    page.goto(f"{desk.address}/studies/{study.slug}/report/")
    while compute_requested():
        page.reload()
    page.locator(".estimates").first.wait_for()
    return page


@pytest.mark.thorough
def test_the_report_of_hanna_fits_four_pages_and_nothing_is_cut(new_desk, hanna, owner):
    page = report_of(new_desk(owner), hanna)
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    pages = PdfReader(io.BytesIO(printed)).pages
    assert len(pages) <= MOST_PAGES
    text = "".join(one.extract_text() for one in pages)
    assert "bertgeneration" in text
    assert "Alpha, ordinal" in text
    assert "copy LaTeX" not in text
    page.emulate_media(media="print")
    page.set_viewport_size({"width": A4["width"] - MARGINS, "height": A4["height"]})
    assert page.evaluate(CUT) == []


@pytest.mark.thorough
def test_on_a_phone_the_first_estimates_are_in_view_without_scrolling_sideways(new_desk, hanna, owner):
    page = report_of(new_desk(owner, viewport={"width": 390, "height": 844}), hanna)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    first = page.locator(".estimates .value").first.bounding_box()
    assert first["x"] + first["width"] <= 390
    assert first["y"] <= 1.5 * 844
    wide = """() => [...document.querySelectorAll(".estimates, .stacks, .histogram .scroll-x")]
      .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute("aria-label"))"""
    assert page.evaluate(wide) == []


PAGES = (
    "report/",
    "leaderboard/?panel=even&panel=far",
    "tables/?panel=even&panel=far",
    "disagreement/",
    "rater-checks/",
)
LOST = """() => {
  const drawn = [...document.querySelectorAll("main :is(figure, table) [data-seen]")];
  const may = ".interval, .small, .explained-columns, .copies, .saves, details, .histogram > p, .button";
  return drawn.filter((one) => !one.checkVisibility() && !one.closest(may)).map((one) => one.outerHTML.slice(0, 90));
}"""
SEEN = """() => {
  for (const one of document.querySelectorAll("main *")) if (one.checkVisibility()) one.dataset.seen = "yes";
}"""


@pytest.fixture
def compared(tmp_path, owner):
    made = imported(tmp_path / "in")
    add_member(made, owner, "owner", None)
    probed(made, "even", 1, 40)
    return made


def test_paper_has_what_the_screen_has(new_desk, compared, owner):
    page = (desk := new_desk(owner)).page
    for path in PAGES:
        page.goto(f"{desk.address}/studies/{compared.slug}/{path}")
        while compute_requested():
            page.reload()
        page.locator("main table").first.wait_for()
        page.evaluate(SEEN)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": A4["width"] - MARGINS, "height": A4["height"]})
        assert page.evaluate(LOST) == [], path
        assert page.evaluate(CUT) == [], path
        page.emulate_media(media="null")
        page.set_viewport_size({"width": 1366, "height": 768})


def test_bars_choices_and_shades_are_printed_in_dark_colours_on_white(new_desk, compared, owner):
    page = report_of(desk := new_desk(owner), compared)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    bars = page.locator(".histogram a .bar")
    assert bars.count() > 3
    assert all(bar.is_visible() for bar in bars.all())
    assert page.locator("main h2").first.evaluate("node => getComputedStyle(node).color") == "rgb(0, 0, 0)"
    chosen = page.locator(".kinds .check").filter(visible=True)
    assert [text.strip() for text in chosen.all_text_contents()] == ["Human"]
    assert not page.get_by_role("button", name="Show").is_visible()
    page.goto(f"{desk.address}/studies/{compared.slug}/disagreement/")
    while compute_requested():
        page.reload()
    shade = page.locator("[class*=shade-]").first
    assert shade.evaluate("node => getComputedStyle(node).printColorAdjust") == "exact"
