"""Studies made, duplicated and deleted on their pages, in a real browser."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from annotation.models import Item, Study
from files.entered.drafts import make_draft
from managing.building.template_library import study_templates
from tests.browser.accessibility import findings
from tests.conftest import make_person

SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def maker(db):
    return make_person("maker", is_staff=True)


@pytest.mark.thorough
def test_a_study_is_made_from_a_template_duplicated_and_deleted(new_desk, maker):
    desk = new_desk(maker)
    page = desk.page
    page.goto(desk.address)
    page.get_by_role("link", name="New study").click()
    page.get_by_role("link", name="Rating one output on a scale").click()
    page.get_by_label("Title").fill("Fähren & Häfen")
    expect(page.get_by_label("Short name")).to_have_value("fahren-hafen")
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Fähren & Häfen")
    study = Study.objects.get(slug="fahren-hafen")
    Item.objects.create(study=study, key="a", document="x")
    page.goto(f"{desk.address}/studies/fahren-hafen/settings/")
    page.get_by_role("link", name="Duplicate this study").click()
    page.get_by_label("Short name").fill("copy")
    page.get_by_label("Title").fill("The copy")
    expect(page.get_by_label("Short name")).to_have_value("copy")
    page.get_by_label("Copy the items").uncheck()
    page.get_by_role("button", name="Make the draft").click()
    page.wait_for_url("**/studies/copy/**")
    page.goto(f"{desk.address}/studies/copy/settings/")
    page.get_by_role("link", name="Delete this study").click()
    page.get_by_role("button", name="Delete the draft").click()
    expect(page.get_by_text("The study was deleted.")).to_be_visible()
    assert urlsplit(page.url).path == "/"
    assert list(Study.objects.values_list("slug", flat=True)) == ["fahren-hafen"]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_pages_fit_and_axe_finds_nothing(new_desk, maker, axe, width, height, tmp_path):
    study = make_draft({**study_templates()["href"].body, "slug": "boats", "title": "Boats " * 12}, maker)
    Item.objects.create(study=study, key="a", document="x")
    desk = new_desk(maker, viewport={"width": width, "height": height})
    found = {}
    for path in ("studies/new/", "studies/new/href/", "studies/boats/duplicate/", "studies/boats/delete/",
                 "studies/boats/settings/", "studies/boats/copying/"):  # fmt: skip
        desk.page.goto(f"{desk.address}/{path}")
        found[path] = findings(desk.page, axe, ("dark", "light") if width > height else ("light", "dark"))
        over = desk.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            found[path].append(("scrolls sideways", over))
        desk.page.screenshot(path=tmp_path / f"{path.strip('/').replace('/', '-')}-{width}.png", full_page=True)
    assert {path: some for path, some in found.items() if some} == {}
