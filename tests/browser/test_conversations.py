"""Conversations on the desk turn by turn, and Markdown formatted with its source beside it, in each protocol."""

import json

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Output, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from tests.annotation.conversation_study import write_study
from tests.browser.accessibility import findings
from tests.browser.conftest import saved

OTHERS = ("pairwise", "listwise")
SHOWN = "[data-text]:visible, [data-text-of]:visible"
JOINED = "nodes => nodes.map(node => node.textContent)"
SELECT_OVER_TURNS = """node => {
    const pieces = [...node.querySelectorAll("[data-piece]")].filter(piece => piece.textContent.trim());
    const last = pieces[3].firstChild;
    document.getSelection().setBaseAndExtent(pieces[1].firstChild, 4, last, 6);
    document.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
}"""


@pytest.fixture
def opened(db, tmp_path, rater, new_desk):
    """A function that opens the first task of the study in a protocol and text format."""

    def opened(protocol, text_format=None):
        study = import_study(write_study(tmp_path, protocol=protocol, text_format=text_format)).study
        while plan_chunk(study):
            pass
        add_member(study, rater, "annotator", None)
        Study.objects.update(status="live")
        study.refresh_from_db()
        desk = new_desk(rater)
        return desk, desk.open(next_assignment(study, rater_for(study, rater)))

    return opened


@pytest.mark.parametrize("protocol", ["rating", *(pytest.param(one, marks=pytest.mark.thorough) for one in OTHERS)])
def test_the_turns_of_a_conversation_are_seen_and_their_text_is_the_stored_one(opened, protocol, axe):
    desk, page = opened(protocol)
    expect(page.locator("[data-text=document] .turn-role").first).to_have_text("User:")
    stored = {Item.objects.get().document, *Output.objects.values_list("text", flat=True)}
    texts = page.locator(SHOWN).evaluate_all(JOINED)
    assert set(texts) - {"Answer the traveller."} <= stored
    assert Item.objects.get().document in texts
    assert findings(page, axe) == []
    assert desk.faults == []


@pytest.mark.thorough
def test_shared_words_are_marked_within_the_turns(opened):
    desk, page = opened("rating")
    document = page.locator("[data-text=document]")
    before = document.evaluate("node => node.textContent")
    page.keyboard.press("h")
    expect(document.locator(".turn mark").first).to_be_visible()
    assert document.evaluate("node => node.textContent") == before
    page.keyboard.press("h")
    expect(document.locator("mark")).to_have_count(0)
    expect(document.locator(".turn")).to_have_count(3)
    assert desk.faults == []


def test_a_span_over_two_turns_is_that_of_the_stored_text(opened):
    desk, page = opened("listwise")
    conversation = Output.objects.get(key="north")
    card = page.locator("[data-card]", has=page.locator("[data-turn]"))
    page.get_by_role("tab", name="Mark errors").click()
    card.locator("[data-text-of]").evaluate(SELECT_OVER_TURNS)
    page.locator("[data-span-bar]").get_by_role("button", name="wrong").click()
    expect(card.locator("mark")).to_have_count(4)  # what is said, the empty lines, the next speaker, and what they say
    saved(page)
    letter = card.get_attribute("data-card")
    (span,) = json.loads(page.locator("[data-spans-field]").input_value())["spans"]
    assert span["output"] == letter
    assert conversation.text[span["start"] : span["end"]] == span["text"]
    assert "\n\nUser:\n" in span["text"]
    assert desk.faults == []


@pytest.mark.parametrize("protocol", ["rating", *(pytest.param(one, marks=pytest.mark.thorough) for one in OTHERS)])
def test_markdown_is_formatted_until_its_source_is_asked_for(opened, protocol, axe):
    desk, page = opened(protocol, "markdown")
    source = page.get_by_role("button", name="Source")
    if protocol == "listwise":  # errors are marked in the source
        expect(source).to_have_attribute("aria-pressed", "true")
        source.click()
    expect(page.locator("[data-formatted] strong").first).to_have_text("pier 4")
    assert page.locator(SHOWN).evaluate_all(JOINED) in ([], ["Answer the traveller."])
    assert findings(page, axe) == []
    page.keyboard.press("q")
    expect(page.locator("[data-text=document]")).to_be_visible()
    expect(page.locator("[data-formatted]").first).to_be_hidden()
    assert desk.faults == []


@pytest.mark.thorough
def test_marking_shared_words_shows_the_source_of_markdown(opened):
    _, page = opened("rating", "markdown")
    expect(page.locator("[data-text=document]")).to_be_hidden()
    page.keyboard.press("h")
    expect(page.locator("[data-text=document] mark").first).to_be_visible()


@pytest.mark.thorough
def test_code_keeps_its_lines(opened, axe):
    _, page = opened("pairwise", "code")
    assert page.locator("[data-text=document]").evaluate("node => getComputedStyle(node).whiteSpace") == "pre"
    assert findings(page, axe) == []
