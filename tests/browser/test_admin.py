"""Through the admin alone: a study from nothing to closed; no page breaks the content security policy."""

import json
import re

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.invitations import accept, open_invitation
from annotation.members.membership import rater_for
from annotation.models import Annotation, Study
from tests.conftest import make_person

LINES = [
    {"id": f"item-{number}", "document": "The ferry sails at nine.", "instruction": "Say when it sails.",
     "outputs": [{"id": "north", "text": "At nine."}, {"id": "south", "text": "At ten."}]}
    for number in range(2)
]  # fmt: skip
BODY = """slug: ferries
title: Ferries
protocol: rating
redundancy: 1
questions:
  - {key: follows, type: binary, text: Does it follow?}
"""


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


def test_a_study_goes_from_nothing_to_closed_in_the_admin_alone(desk):
    page = desk.page
    go(desk, "/admin/annotation/study/")
    page.get_by_role("link", name="Add study").click()
    page.get_by_label("Study file").fill(BODY)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("added successfully")
    go(desk, "/admin/annotation/item/add/")
    page.get_by_label("Study").select_option(label="Ferries")
    page.get_by_label("Lines").fill("\n".join(json.dumps(line) for line in LINES))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#result_list tbody tr")).to_have_count(2)
    go(desk, "/admin/annotation/invitation/add/")
    page.get_by_label("Study").select_option(label="Ferries")
    page.get_by_role("button", name="Save", exact=True).click()
    link = page.locator(".secrets code").inner_text()
    go(desk, "/admin/annotation/study/")
    page.locator("#result_list").get_by_role("link", name="Ferries").click()
    confirm(page, "Make live")
    expect(page.locator(".messagelist")).to_contain_text("Make live: 1 study.")
    study = Study.objects.get(slug="ferries")
    assert study.is_live
    person = make_person("ada")
    accept(open_invitation(link.rstrip("/").split("/")[-1]), person)
    while (task := next_assignment(study, rater_for(study, person))) is not None:
        submit(task, Submission({"q-follows": ["true"]}, 0, None))
    assert Annotation.objects.count() == 4
    go(desk, "/admin/annotation/item/")
    page.locator("#result_list").get_by_role("link", name="item-0").click()
    expect(page.locator(".field-answers_shown")).to_contain_text("follows")
    go(desk, "/admin/annotation/study/")
    page.get_by_label("Select this object for an action").first.check()
    page.get_by_label("Action:").select_option(label="Close")
    page.get_by_role("button", name="Go").click()
    expect(page.locator("#content h1")).to_have_text("Close: 1 study")
    page.get_by_role("button", name="Close: 1 study").click()
    expect(page.locator(".messagelist")).to_contain_text("Close: 1 study.")
    study.refresh_from_db()
    assert study.status == "closed"


@pytest.mark.parametrize("width", [1366, 390])
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
