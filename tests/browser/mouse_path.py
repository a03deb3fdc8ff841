"""The way of a study from an empty installation to closed, by mouse alone: the steps that all protocols share."""

from pathlib import Path

from playwright.sync_api import Page, expect

from annotation.models import Annotation, Study
from managing.building.template_library import study_templates
from tests.browser.listwise.conftest import drag, tab

DEMO = Path(__file__).parent.parent.parent / "demo"
PASSWORD = "ada has a long password"
TITLE = "Night ferries"


def first_item(protocol: str) -> str:
    """The first line of the demo's items of a protocol."""
    return (DEMO / protocol / "items.jsonl").read_text(encoding="utf-8").splitlines()[0]


def tabs(page: Page, group: str, name: str = "") -> None:
    """Open a study's group of tabs, and a tab of it."""
    page.get_by_role("navigation", name="Study").get_by_role("link", name=group, exact=True).click()
    if name:
        page.get_by_role("navigation", name=group).get_by_role("link", name=name, exact=True).click()


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(f"{name} has a long password")
    page.get_by_role("button", name="Sign in").click()


def make_from_template(page: Page, template: str) -> None:
    """From the first page through the question builder to the overview of a draft."""
    page.get_by_role("link", name="New study").click()
    choose_template(page, template)


def choose_template(page: Page, template: str) -> None:
    """From the page of new studies through the question builder to the overview of a draft."""
    page.get_by_role("link", name=study_templates()[template].label).click()
    page.get_by_label("Title").fill(TITLE)
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_role("heading", name="What raters see")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messages")).to_contain_text("Nothing was changed.")
    page.get_by_role("link", name="What is left to do").click()


def upload_items(page: Page, protocol: str, folder: Path) -> None:
    """Upload one item of the demo, look at the dry run, and import it. Needs a worker."""
    file = folder / "items.jsonl"
    file.write_text(f"{first_item(protocol)}\n", encoding="utf-8")
    page.get_by_role("link", name="Upload items").first.click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("It would add 1 item")).to_be_visible()
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("Imported: 1 item")).to_be_visible()
    page.get_by_role("link", name="Go to the overview").click()


def invite(page: Page) -> str:
    """Make an invitation from the overview; return its link."""
    page.get_by_role("link", name="Invite annotators").first.click()
    page.get_by_role("button", name="Create link").click()
    link: str = page.get_by_label("Links, one per line").input_value()
    return link.strip()


def go_live(page: Page) -> None:
    tabs(page, "Overview")
    page.get_by_role("button", name="Go live").click()
    expect(page.get_by_text("Annotators get tasks.")).to_be_visible()


def join(page: Page, link: str) -> None:
    """Accept an invitation with a new account, read the guidelines, and start."""
    page.goto(link)
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Join the study").click()
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I have read the guidelines").click()


def submit(page: Page) -> None:
    """Send the answer, and wait until the next page has come."""
    key = page.locator("#desk").get_attribute("data-assignment")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator(f"#desk[data-assignment='{key}']")).to_have_count(0)


def rate(page: Page) -> None:
    page.wait_for_url("**/work/**", wait_until="load")
    page.locator("#question-1 label").first.click()
    page.locator("#question-2 label").nth(3).click()
    submit(page)


def compare(page: Page) -> None:
    page.wait_for_url("**/work/**", wait_until="load")
    page.locator("label", has_text="B is better").click()
    submit(page)


def rank(page: Page) -> None:
    page.wait_for_url("**/work/**", wait_until="load")
    for letter, row in zip("ABCDE", (1, 2, 2, 3, 4), strict=True):
        drag(page, letter, f"[data-tier='{row}']")
    for name in ("Missing information", "Irrelevant information", "Factual consistency"):
        tab(page, name).click()
        page.locator("[data-panel]:visible").get_by_role("button", name="Copy from “Overall quality”").click()
    tab(page, "Errors of fact").click()
    for letter in "ABCDE":
        page.get_by_label(f"No error in {letter}").check()
    tab(page, "Reason for the overall ranking").click()
    page.get_by_role("textbox", name="Reason").fill(
        "The first names the date, the vote and the way; the last none at all."
    )
    submit(page)


def revise(page: Page) -> None:
    """A session of one turn. Needs a worker."""
    page.get_by_role("button", name="Start").click()
    page.locator("#instruction").fill("Make it half as long.")
    page.locator("label", has_text="Only style").click()
    page.get_by_role("button", name="Send instruction").click()
    page.locator(".faces label", has_text="good").click()
    page.get_by_label("Why?").fill("It is shorter.")
    page.get_by_role("button", name="Save rating").click()
    page.get_by_role("link", name="Ready to send").click()
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()


def close(page: Page) -> None:
    """Close the study from its overview."""
    page.reload()
    page.locator("summary", has_text="Close").click()
    page.get_by_role("button", name="Close the study").click()
    expect(page.locator(".page-head .status")).to_have_text("Closed")


def check_closed_with_one_answer() -> None:
    study = Study.objects.get()
    assert study.title == TITLE
    assert study.status == Study.Status.CLOSED
    assert list(Annotation.objects.values_list("rater__person__username", "status")) == [("ada", "submitted")]


WAYS = {
    "rating": ("risum", rate),
    "listwise": ("instrusum", rank),
    "pairwise": ("href", compare),
    "session": ("kiwi", revise),
}
"""By protocol: a template, and what an annotator does in a study made from it."""
