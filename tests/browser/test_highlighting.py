"""Showing where the words of one text occur in the other: by mouse, by keyboard, all at once; both ways."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.highlighting import as_displayed, words_of
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Item, Membership, Output
from annotation.studies.planning import plan_chunk
from tests.browser.conftest import answers_to, moved_on

DOCUMENT = "The ferry sails at nine.\n\nAnother ferry, the old one, sailed at noon; ferries never sail at night."
OUTPUT = "Ferries sail at nine and at noon, said nobody."


@pytest.fixture
def study_of(make_study, rater):
    """A function that makes a live study of one item with this document and output, and gives its only task."""

    def make(document: str, output: str, **more) -> Assignment:
        study = make_study("texts", items=0, status="live", **more)
        item = Item.objects.create(study=study, key="one", document=document, instruction="Say.", digest="x")
        Output.objects.create(item=item, position=0, key="system-one", text=output, digest="x")
        plan_chunk(study)
        Membership.objects.create(study=study, person=rater, role="annotator")
        return next_assignment(study, rater_for(study, rater))

    return make


def marks(page, text: str, kind: str) -> list[str]:
    return page.locator(f"[data-text={text}] mark.{kind}").all_text_contents()


def place_of(page, text: str, word: str) -> dict:
    """The middle of the first occurrence of a word, for the mouse."""
    return page.evaluate(
        """([name, word]) => {
            const root = document.querySelector(`[data-text=${name}]`);
            const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const box = range.getBoundingClientRect();
                return { x: box.x + box.width / 2, y: box.y + box.height / 2, left: box.x + 1, right: box.right - 1 };
            }
        }""",
        [text, word],
    )


def double_click(page, text: str, word: str) -> None:
    place = place_of(page, text, word)
    page.mouse.dblclick(place["x"], place["y"])


def test_a_word_chosen_in_the_output_is_found_in_the_document_in_every_form(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    double_click(page, "output", "sail")
    expect(page.locator("#places")).to_have_text("“sail”: 1 of 3 in the document")
    assert marks(page, "document", "found") == ["sails", "sailed", "sail"]
    assert marks(page, "document", "now") == ["sails"]
    assert page.evaluate("getSelection().toString()") == "sail"
    ticks = page.locator("[data-strip=document] rect")
    assert ticks.count() in (0, 3)  # none if the whole text is in view


def test_a_word_chosen_in_the_document_is_found_in_the_output(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    double_click(page, "document", "ferry")
    assert marks(page, "output", "found") == ["Ferries"]
    expect(page.locator("#places")).to_have_text("“ferry”: 1 of 1 in the output")


@pytest.mark.thorough
def test_a_phrase_is_found_as_a_phrase_and_what_is_not_there_is_said(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    start, end = place_of(page, "output", "Ferries"), place_of(page, "output", "sail")
    page.mouse.move(start["left"], start["y"])
    page.mouse.down()
    page.mouse.move(end["right"], end["y"], steps=4)
    page.mouse.up()
    expect(page.locator("#places")).to_have_text("“Ferries sail”: 1 of 1 in the document")
    assert marks(page, "document", "found") == ["ferry sails"]
    double_click(page, "output", "nobody")
    expect(page.locator("#places")).to_have_text("“nobody”: no match in the document")
    assert marks(page, "document", "found") == []


@pytest.mark.thorough
def test_brackets_step_through_the_places_and_round_again(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    double_click(page, "output", "sail")
    seen = []
    for key in ("]", "]", "]", "["):
        page.keyboard.press(key)
        seen.append(marks(page, "document", "now")[0])
    assert seen == ["sailed", "sail", "sails", "sail"]


@pytest.mark.thorough
def test_the_first_place_is_scrolled_to_and_the_margin_shows_ticks(desk, study_of):
    page = desk.open(study_of("Nothing to see here.\n\n" * 60 + "The ferry sails.", OUTPUT))
    double_click(page, "output", "sail")
    expect(page.locator("[data-text=document] mark.now")).to_be_in_viewport()
    expect(page.locator("[data-strip=document] rect.now")).to_have_count(1)


def test_the_switch_marks_the_content_words_that_both_texts_have_both_ways(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    page.keyboard.press("h")
    assert marks(page, "output", "common") == ["Ferries", "sail", "nine", "noon"]
    assert marks(page, "document", "common") == ["ferry", "sails", "nine", "ferry", "sailed", "noon", "ferries", "sail"]
    style = page.locator("[data-text=output] mark.common").first.evaluate(
        "node => [getComputedStyle(node).textDecorationLine, getComputedStyle(node).textDecorationStyle]"
    )
    assert style == ["underline", "dotted"]
    page.keyboard.press("h")
    assert marks(page, "output", "common") == []


@pytest.mark.thorough
def test_words_are_chosen_with_the_keyboard_in_either_text(desk, study_of):
    page = desk.open(study_of(DOCUMENT, OUTPUT))
    page.keyboard.press("w")
    assert marks(page, "output", "cursor") == ["Ferries"]
    page.keyboard.press("Shift+ArrowRight")
    assert marks(page, "output", "cursor") == ["Ferries sail"]
    page.keyboard.press("Enter")
    assert marks(page, "document", "found") == ["ferry sails"]
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#places")).to_have_text("“ferry”: 1 of 1 in the output")
    page.keyboard.press("ArrowDown")
    assert marks(page, "document", "cursor") == ["Another"]
    page.keyboard.press("Escape")
    assert marks(page, "document", "cursor") == []


def test_the_use_of_the_aids_is_counted_and_kept_with_the_answer(desk, study_of):
    task = study_of(DOCUMENT, OUTPUT)
    page = desk.open(task)
    page.keyboard.press("h")
    double_click(page, "output", "sail")
    page.keyboard.press("]")
    page.keyboard.press("]")
    page.keyboard.press("y")
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: str(task.key) not in url)
    assert answers_to(task)[0]["tool_use"] == {"common_words": 1, "selection": 1, "step": 2}


def test_marks_stand_on_the_same_characters_as_the_words_of_the_server(desk, study_of):
    document = (
        "\U0001f600 Fe\u0301rry \U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 nai\u0308ve\r\n\U00020000"
        "\u05e9\u05dc\u05d5\u05dd \u202eabc\u202c \u0643\u064e\u062a\u064e\u0628\u064e na\u200bme "
        "\u0928\u092e\u0938\u094d\u0924\u0947 \U0001d54f9 end\r"
    )
    page = desk.open(study_of(document, document))
    shown = as_displayed(document)
    page.keyboard.press("h")
    expected = [shown[word.start : word.end] for word in words_of(shown) if not word.is_stop]
    assert marks(page, "document", "common") == marks(page, "output", "common") == expected
    page.keyboard.press("i")
    assert page.locator("[data-text=document]").evaluate("node => node.textContent") == shown


def test_invisible_characters_can_be_shown_without_changing_the_text(desk, study_of):
    page = desk.open(study_of("a\u202eb\u200bc\u00a0d\ufeffe\u0085f", "plain"))
    text = page.locator("[data-text=document]")
    before = text.evaluate("node => node.textContent")
    page.keyboard.press("i")
    names = text.locator(".invisible").evaluate_all("nodes => nodes.map((node) => node.dataset.name)")
    assert names == ["RLO", "ZWSP", "NBSP", "BOM", "U+0085"]
    assert text.evaluate("node => node.textContent") == before == "a\u202eb\u200bc\u00a0d\ufeffe\u0085f"
    assert text.get_attribute("dir") == "ltr"


def test_seconds_are_counted_while_the_page_is_seen_and_used(desk, task):
    page = desk.page
    page.clock.install(time=timezone.now())
    desk.open(task)
    page.clock.run_for(20_000)
    page.keyboard.press("y")
    page.clock.run_for(40_000)
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    answer = Annotation.objects.get()
    assert 59 <= answer.visible_seconds <= 62
    assert 49 <= answer.active_seconds <= 52  # 20 s and the 30 s after the first key
