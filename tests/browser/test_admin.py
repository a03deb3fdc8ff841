"""Through the admin alone: a study from nothing to closed; no page breaks the content security policy."""

import json
import re

import pytest
from playwright.sync_api import expect

from managing.building.template_library import study_templates
from tests.browser import mouse_path
from tests.browser.accessibility import findings
from tests.browser.scripted_work import worker
from tests.conftest import make_person

DJANGO = ("label-title-only",)
"""Rules that Django's own templates break: the label of its search field is a picture with an alternative text."""


@pytest.fixture
def desk(new_desk, db):
    """A superuser's browser, which notes what the content security policy refuses."""
    desk = new_desk(make_person("operator", is_staff=True, is_superuser=True))
    desk.page.on(
        "console",
        lambda said: desk.faults.append(said.text) if "Content Security Policy" in said.text else None,
    )
    return desk


def go(desk, address):
    desk.page.goto(desk.address + address)


def confirm(page, label):
    page.get_by_role("button", name=label, exact=True).first.click()
    page.get_by_role("button", name=re.compile(f"^{label}: 1")).click()


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", ["listwise", "pairwise", "rating", "session"])
def test_a_study_goes_from_nothing_to_closed_in_the_admin_alone(desk, new_desk, settings, tmp_path, protocol):
    settings.VAR = tmp_path
    page, template, answer = desk.page, *mouse_path.WAYS[protocol]
    go(desk, "/admin/annotation/study/")
    page.get_by_role("link", name="Add study").click()
    body = {**study_templates()[template].body, "slug": "ferries", "title": mouse_path.TITLE}
    page.get_by_label("Study file").fill(json.dumps(body))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("added successfully")
    go(desk, "/admin/annotation/item/add/")
    page.get_by_label("Study").select_option(label=mouse_path.TITLE)
    page.get_by_label("Lines").fill(mouse_path.first_item(protocol))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#result_list tbody tr")).to_have_count(1)
    go(desk, "/admin/annotation/invitation/add/")
    page.get_by_label("Study").select_option(label=mouse_path.TITLE)
    page.get_by_role("button", name="Save", exact=True).click()
    link = page.locator(".secrets code").inner_text()
    go(desk, "/admin/annotation/study/")
    page.locator("#result_list").get_by_role("link", name=mouse_path.TITLE).click()
    with worker():
        confirm(page, "Make live")
        expect(page.locator(".messagelist")).to_contain_text("Make live: 1 study.")
        other = new_desk().page
        mouse_path.join(other, link)
        answer(other)
    go(desk, "/admin/annotation/item/")
    page.locator("#result_list tbody th a").click()
    expect(page.locator(".field-answers_shown")).to_contain_text(body["questions"][0]["key"])
    go(desk, "/admin/annotation/study/")
    page.get_by_label("Select this object for an action").first.check()
    page.get_by_label("Action:").select_option(label="Close")
    page.get_by_role("button", name="Go").click()
    expect(page.locator("#content h1")).to_have_text("Close: 1 study")
    page.get_by_role("button", name="Close: 1 study").click()
    expect(page.locator(".messagelist")).to_contain_text("Close: 1 study.")
    mouse_path.check_closed_with_one_answer()


@pytest.mark.thorough
@pytest.mark.parametrize("width", [pytest.param(1366, marks=pytest.mark.thorough), 390])
def test_pages_of_the_admin_keep_the_policy_and_fit(desk, study, width, tmp_path):
    page = desk.page
    page.set_viewport_size({"width": width, "height": 800})
    item, slot = study.items.first(), study.slots.first()
    for address in (
        "/admin/", "/admin/annotation/", "/admin/annotation/study/", f"/admin/annotation/study/{study.pk}/change/",
        "/admin/annotation/study/add/?template=plain", "/admin/annotation/item/add/", "/admin/annotation/item/",
        f"/admin/annotation/item/{item.pk}/change/", f"/admin/annotation/slot/{slot.pk}/change/",
        "/admin/annotation/slot/", "/admin/annotation/task/", "/admin/annotation/invitation/add/",
    ):  # fmt: skip
        go(desk, address)
        expect(page.locator("#site-name")).to_be_visible()
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, address
    go(desk, f"/admin/annotation/study/{study.pk}/change/")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_label("Why")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_axe_finds_nothing_on_the_pages_of_the_admin(new_desk, study, axe):
    """The index, a list, a row with its actions, forms that add rows, and the page that confirms an action.

    axe itself uses inline styles, so this desk does not note what the policy refuses.
    """
    desk = new_desk(make_person("operator", is_staff=True, is_superuser=True))
    page, item = desk.page, study.items.first()
    found = {}
    for address in (
        "/admin/", "/admin/annotation/study/", f"/admin/annotation/study/{study.pk}/change/",
        "/admin/annotation/study/add/?template=plain", "/admin/annotation/item/",
        f"/admin/annotation/item/{item.pk}/change/", "/admin/annotation/invitation/add/",
    ):  # fmt: skip
        go(desk, address)
        found[address] = findings(page, axe)
    go(desk, f"/admin/annotation/study/{study.pk}/change/")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_label("Why")).to_be_visible()
    found["confirmation"] = findings(page, axe)
    assert {
        address: left for address, one in found.items() if (left := [it for it in one if it[1] not in DJANGO])
    } == {}
