"""A researcher's queues in a browser: spans by keyboard alone, spot checks, and how both look to axe."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Item, Output, Question, Rating, SpanReview, SpotCheck
from annotation.review.marked_spans import marked_spans
from tests.browser.accessibility import findings

FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}
TEXT = "👩‍👩‍👧 The ferry leaves the harbour at e\u0301ight. " * 40 + "العبارة تبحر at nine."


@pytest.fixture
def marked(study, rater):
    """An answer for the spot check, and three spans: one far down in a long text."""
    given = rater_for(study, rater)
    submit(next_assignment(study, given), Submission(FORM, revision=0, guidelines_version=1))
    item = Item.objects.create(study=study, key="long", document="The ferry sails at nine.\n\n" * 30, digest="l")
    Output.objects.create(item=item, position=0, key="system-long", text=TEXT, digest="l")
    question = Question.objects.create(
        study=study, position=9, key="errors", type="spans", text="Which passages are wrong?", spec={"labels": ["time"]}
    )
    spans = [
        {"output": "system-long", "start": start, "end": end, "text": TEXT[start:end], "label": "time", "note": "When?"}
        for start, end in ((6, 15), (len(TEXT) - 8, len(TEXT)), (len(TEXT) - 21, len(TEXT) - 9))
    ]
    Rating.objects.create(
        study=study, item=item, question=question, rater=given, level="span", value={"spans": spans, "none": []}
    )
    return study


@pytest.fixture
def desk(new_desk, owner):
    return new_desk(owner)


def at(desk, study, place):
    desk.page.goto(f"{desk.address}/studies/{study.slug}/review/{place}")
    return desk.page


def test_spans_are_confirmed_rejected_and_taken_back_by_keyboard_alone(desk, marked):
    page = at(desk, marked, "spans/")
    said = page.locator("#done")
    expect(said).to_contain_text("0 of 3 reviewed")
    page.keyboard.press("c")
    page.keyboard.type("The document says nine, not c or r or u.")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("1 of 3 reviewed")
    page.keyboard.press("r")
    page.keyboard.type("It does.")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("2 of 3 reviewed")
    page.keyboard.press("u")
    expect(said).to_contain_text("1 of 3 reviewed")
    rows = list(SpanReview.objects.order_by("pk").values_list("verdict", "reason"))
    assert rows == [
        ("confirmed", "The document says nine, not c or r or u."), ("rejected", "It does."), ("withdrawn", ""),
    ]  # fmt: skip


def test_the_marked_span_is_the_one_of_the_code_points_and_in_sight(desk, marked):
    for span in marked_spans(marked):
        page = at(desk, marked, f"spans/?at={span.key}")
        mark = page.locator(".review-text mark")
        expect(mark).to_have_text(span.body["text"])
        expect(mark).to_be_in_viewport()


@pytest.mark.thorough
def test_nothing_is_kept_without_a_reason_and_the_message_is_beside_the_control(desk, marked):
    page = at(desk, marked, "spans/")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    expect(page.locator("#reason-error")).to_have_text("Give a reason.")
    expect(page.locator("#reason")).to_be_focused()
    expect(page.get_by_label("Confirm")).to_be_checked()
    assert not SpanReview.objects.exists()


@pytest.mark.thorough
def test_single_keys_can_be_switched_off(desk, marked):
    page = at(desk, marked, "spans/")
    confirm = page.get_by_role("radio", name="Confirm", exact=True)
    expect(confirm).to_have_attribute("aria-keyshortcuts", "c")
    with page.expect_response("**/my-settings/keys/"):
        page.get_by_label("Keys are on").uncheck()
    expect(confirm).not_to_have_attribute("aria-keyshortcuts", "c")
    page.reload()
    page.keyboard.press("c")
    expect(page.get_by_label("Confirm")).not_to_be_checked()


def test_spans_are_reviewed_without_scripts(new_desk, owner, marked):
    desk = new_desk(owner, java_script_enabled=False)
    page = at(desk, marked, "spans/")
    page.get_by_label("Reject").check()
    page.get_by_label("Reason").fill("It does.")
    page.get_by_role("button", name="Save and next").click()
    expect(page.locator("#done")).to_contain_text("1 of 3 reviewed")


@pytest.mark.thorough
def test_a_spot_check_reaches_the_annotator(desk, new_desk, marked, rater):
    page = at(desk, marked, "checks/")
    page.keyboard.press("x")
    page.keyboard.type("Look at the time again.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="All checked")).to_be_visible()
    theirs = new_desk(rater)
    theirs.page.goto(theirs.address)
    theirs.page.get_by_role("button", name="Continue").click()
    expect(theirs.page.get_by_text("Look at the time again.")).to_be_visible()
    theirs.page.get_by_role("button", name="I have read it").click()
    expect(theirs.page.get_by_role("button", name="Continue")).to_be_visible()
    assert SpotCheck.objects.get().seen_at is not None


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=["wide", "narrow"])
def test_axe_finds_nothing_on_the_pages_of_a_review(new_desk, owner, rater, marked, axe, size):
    options = {"viewport": {"width": size[0], "height": size[1]}, "bypass_csp": True}
    desk, theirs = new_desk(owner, **options), new_desk(rater, **options)
    page = at(desk, marked, "checks/")
    found = problems(page, axe)
    page.get_by_role("radio", name="Problem").check()
    page.get_by_label("Note to the annotator").fill("Look at the time again.")
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_role("heading", name="All checked")).to_be_visible()
    for place in ("", "spans/", "spans/?state=confirmed"):
        found += problems(at(desk, marked, place), axe)
    theirs.page.goto(f"{theirs.address}/studies/{marked.slug}/notes/")
    assert found + problems(theirs.page, axe) == []


def problems(page, axe):
    wider = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return findings(page, axe) + ([f"{page.url} scrolls sideways"] if wider else [])
