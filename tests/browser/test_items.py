"""A researcher finds the item that raters disagree about most, gives a final answer and asks for one more rater."""

import pytest
from playwright.sync_api import expect

from annotation.models import Adjudication, Item, Rater, Rating, Slot
from tests.browser.accessibility import findings
from tests.conftest import add_item
from tests.reports.computing import compute_requested

WIDTHS = (1366, 390)


@pytest.fixture
def disputed(study):
    """The study with two items that two imported raters answered: they disagree about the second."""
    for number, (one, two) in enumerate(((4, 4), (1, 5))):
        item = add_item(study, f"rated-{number}", categories="news")
        for name, value in (("ann", one), ("bob", two)):
            rater, _ = Rater.objects.get_or_create(study=study, name=name)
            Rating.objects.create(
                study=study, question=study.questions.get(key="how_well"), rater=rater, item=item,
                output=item.outputs.first(), level="interval", number=value, value=value, seconds=30,
            )  # fmt: skip
    return study


def test_the_most_disputed_item_is_found_decided_and_given_to_one_more_rater(new_desk, owner, disputed):
    desk = new_desk(owner)
    page = desk.page
    page.goto(f"{desk.address}/studies/{disputed.slug}/")
    page.get_by_role("navigation", name="Study").get_by_role("link", name="Items", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("are being counted")
    compute_requested()
    page.get_by_label("Sort by").select_option("Most disagreement first")
    page.get_by_role("button", name="Show").click()
    row = page.get_by_role("region", name="Items").get_by_role("row").nth(1)
    expect(row).to_contain_text("rated-1")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", name="rated-1")).to_be_visible()
    answers = page.get_by_role("region", name="How well?")
    expect(answers.get_by_role("row").filter(has_text="ann")).to_contain_text("1")
    answers.get_by_role("link", name="Adjudicate").first.click()
    page.get_by_label("partly").check()
    page.get_by_role("button", name="Save final answer").click()  # the browser asks for the reason
    page.get_by_label("Reason").fill("It says when, but not where.")
    page.get_by_role("button", name="Save final answer").click()
    expect(page.get_by_text("The final answer is saved.")).to_be_visible()
    expect(page.get_by_role("region", name="How well?").get_by_role("row").last).to_contain_text("partly")
    assert Adjudication.objects.get().value == 3


@pytest.mark.thorough
def test_one_more_rater_is_asked_and_the_item_withdrawn_from_its_page(new_desk, owner, study):
    item = Item.objects.filter(study=study).first()
    before = Slot.objects.filter(item=item).count()
    desk = new_desk(owner)
    page = desk.page
    page.goto(f"{desk.address}/studies/{study.slug}/items/{item.pk}/")
    for step, said in (
        ("Ask for one more rater", "One more rater will be asked."), ("Withdraw this item", "The item is withdrawn."),
    ):  # fmt: skip
        fold = page.locator("details.step-fold", has_text=step)
        fold.locator("summary").click()
        fold.get_by_label("Reason").fill("They disagree.")
        fold.get_by_role("button").click()
        expect(page.get_by_text(said)).to_be_visible()
    assert Slot.objects.filter(item=item).count() == before + item.tasks.count()
    item.refresh_from_db()
    assert item.withdrawn_reason == "They disagree."


@pytest.mark.thorough
def test_the_pages_fit_narrow_and_wide_and_have_no_findings(new_desk, owner, disputed, axe):
    item = Item.objects.get(key="rated-1")
    places = ("", f"{item.pk}/", f"{item.pk}/adjudicate/?question=how_well&output=system-north")
    for width, scheme in ((1366, "light"), (390, "dark")):
        desk = new_desk(owner, viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = desk.page
        for place in places:
            page.goto(f"{desk.address}/studies/{disputed.slug}/items/{place}")
            compute_requested()
            page.reload()
            for fold in page.locator("details.step-fold summary, details.inline-change summary").all():
                fold.click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, place)
            assert findings(page, axe) == [], (width, place)
