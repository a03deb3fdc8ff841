"""A study from nothing to closed, steered in the admin; no page of it breaks the content security policy."""

import pytest
from playwright.sync_api import expect

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


def act(page, label, **fields):
    """Take an action with the first row of a list of the admin."""
    page.get_by_label("Select this object for an action").first.check()
    page.get_by_label("Action:").select_option(label=label)
    for name, text in fields.items():
        page.get_by_label(name).fill(text)
    page.get_by_role("button", name="Go").click()
    expect(page.locator(".messagelist")).to_contain_text(f"{label}: 1 study.")


@pytest.mark.thorough
def test_a_study_goes_from_nothing_to_closed_from_the_admin(desk, new_desk, settings, tmp_path):
    settings.VAR = tmp_path
    page, template, answer = desk.page, *mouse_path.WAYS["rating"]
    go(desk, "/admin/annotation/study/")
    page.get_by_role("link", name="Add study").click()
    mouse_path.choose_template(page, template)
    with worker():
        mouse_path.upload_items(page, "rating", tmp_path)
        link = mouse_path.invite(page)
        go(desk, "/admin/annotation/study/")
        act(page, "Make live")
        other = new_desk().page
        mouse_path.join(other, link)
        answer(other)
    go(desk, "/admin/annotation/item/")
    page.locator("#result_list tbody th a").click()
    page.get_by_role("link", name="View on site").click()
    expect(page.locator("h2.item-name")).to_be_visible()
    go(desk, "/admin/annotation/study/")
    act(page, "Close", Reason="All answers are in.")
    mouse_path.check_closed_with_one_answer()


@pytest.mark.thorough
@pytest.mark.parametrize("width", [pytest.param(1366, marks=pytest.mark.thorough), 390])
def test_pages_of_the_admin_keep_the_policy_and_fit(desk, study, width, tmp_path):
    page = desk.page
    page.set_viewport_size({"width": width, "height": 800})
    item, slot = study.items.first(), study.slots.first()
    for address in (
        "/admin/", "/admin/annotation/", "/admin/annotation/study/", f"/admin/annotation/study/{study.pk}/change/",
        "/admin/annotation/item/", f"/admin/annotation/item/{item.pk}/change/",
        f"/admin/annotation/slot/{slot.pk}/change/", "/admin/annotation/slot/", "/admin/annotation/task/",
        "/admin/annotation/membership/",
    ):  # fmt: skip
        go(desk, address)
        expect(page.locator("#site-name")).to_be_visible()
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide <= 0, address


def test_axe_finds_nothing_on_the_pages_of_the_admin(new_desk, study, axe):
    """The index, lists with their actions, and rows.

    axe itself uses inline styles, so this desk does not note what the policy refuses.
    """
    desk = new_desk(make_person("operator", is_staff=True, is_superuser=True))
    page, item = desk.page, study.items.first()
    found = {}
    for address in (
        "/admin/", "/admin/annotation/study/", f"/admin/annotation/study/{study.pk}/change/",
        "/admin/annotation/item/", f"/admin/annotation/item/{item.pk}/change/", "/admin/annotation/membership/",
    ):  # fmt: skip
        go(desk, address)
        found[address] = findings(page, axe)
    assert {
        address: left for address, one in found.items() if (left := [it for it in one if it[1] not in DJANGO])
    } == {}
