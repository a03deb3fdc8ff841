"""Spans with severities: the bar asks for the label and then for the severity, by keys and by mouse."""

import pytest
from playwright.sync_api import expect

from annotation.models import Study
from files.reading import import_study
from files.writing import export_study
from reports.figures.agreement_report import agreement_report
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on
from tests.browser.listwise.conftest import letter_of, press
from tests.browser.listwise.test_span_bar import BAR, marked, sweep
from tests.files.writing.conftest import bytes_of, empty_the_database

QUESTIONS = [
    {"key": "fit", "type": "likert", "min": 1, "max": 3, "per": "output", "text": "Does it fit?", "required": False},
    {"key": "errors", "type": "spans", "labels": ["wrong", "invented"], "severities": True, "text": "Errors"},
]


@pytest.fixture
def task(bring):
    return bring(questions=QUESTIONS)


@pytest.fixture
def marking(desk, task):
    page = desk.open(task)
    page.get_by_role("tab", name="Errors").click()
    return page, letter_of(task, "system-south")


def test_two_numbers_label_a_selection_and_say_how_severe_it_is(marking, task, tmp_path):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "1")
    expect(page.locator(BAR)).to_be_visible()
    expect(page.locator("#announce")).to_have_text("How severe? 1 minor, 2 major, 3 critical.")
    press(page, "2")
    expect(page.locator(BAR)).to_be_hidden()
    expect(marked(page, letter)).to_contain_text("wrong")
    expect(marked(page, letter)).to_contain_text("major")
    for other in sorted(set("ABCDE") - {letter}):
        page.get_by_label(f"No error in {other}").check()
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    [span] = answers_to(task)[0]["answers"]["errors"]["spans"]
    assert (span["text"], span["label"], span["severity"]) == ("sails at ten", "wrong", "major")
    figures = agreement_report(Study.objects.get(), replicates=5)["questions"]["errors"]
    assert (figures["system_severity"]["system-south"], figures["system_severity"]["system-west"]) == (5, 0)
    export_study(Study.objects.get(), tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    empty_the_database()
    export_study(import_study(tmp_path / "out").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == before


@pytest.mark.thorough
def test_the_severity_of_a_span_can_be_changed_and_its_note_stays(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "2", "1", "n")
    page.locator("[data-note]").fill("It is nine.")
    press(page, "Enter")
    marked(page, letter).click()
    bar = page.locator(BAR)
    expect(bar.get_by_role("button", name="minor")).to_have_attribute("aria-pressed", "true")
    bar.get_by_role("button", name="critical").click()
    expect(marked(page, letter)).to_contain_text("critical")
    for text in ("invented", "It is nine."):
        expect(marked(page, letter)).to_contain_text(text)


@pytest.mark.thorough
def test_without_a_label_no_severity_is_taken(marking):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    page.locator(BAR).get_by_role("button", name="minor").click()
    expect(page.locator("#announce")).to_have_text("Which label? 1 wrong, 2 invented.")
    press(page, "Escape")
    expect(marked(page, letter)).to_have_count(0)


def test_words_are_marked_by_keyboard_alone(marking):
    page, letter = marking
    press(page, letter.lower(), "w", "1", "3")
    expect(page.locator(BAR)).to_be_hidden()
    expect(marked(page, letter)).to_contain_text("critical")


@pytest.mark.thorough
def test_the_bar_with_severities_has_no_findings(marking, axe):
    page, letter = marking
    sweep(page, letter, "sails", "ten")
    press(page, "1")
    assert findings(page, axe) == []
