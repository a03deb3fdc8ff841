"""Sliders on the desk: by mouse, by keyboard, by typing, without scripts; untouched ones are no answer."""

import json

import pytest
from playwright.sync_api import Page, expect

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Rating, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from files.writing import export_study
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.files.writing.conftest import bytes_of, empty_the_database

QUESTIONS = [
    {"key": "fluent", "type": "slider", "text": "How fluent is it?", "labels": ["not at all", "completely"]},
    {"key": "better", "type": "slider", "text": "How does it compare?", "min": -50, "max": 50, "step": 5,
     "points": {"the same": 0, "clearly worse": -25, "clearly better": 25}},
]  # fmt: skip


@pytest.fixture
def task(db, tmp_path, rater) -> Assignment:
    folder = tmp_path / "in"
    folder.mkdir()
    body = {"slug": "slides", "title": "Slides", "protocol": "rating", "redundancy": 1, "questions": QUESTIONS}
    (folder / "study.json").write_text(json.dumps(body))
    outputs = [{"id": name, "text": f"The ferry of {name} sails."} for name in ("north", "south")]
    line = {"id": "ferry", "document": "It sails at nine.", "instruction": "When?", "outputs": outputs}
    (folder / "items.jsonl").write_text(json.dumps(line))
    study = import_study(folder).study
    while plan_chunk(study):
        pass
    add_member(study, rater, "annotator", None)
    Study.objects.update(status="live")
    study.refresh_from_db()
    return next_assignment(study, rater_for(study, rater))


def slide(page: Page, number: int):
    return page.locator(f"#question-{number} [data-slide]")


def value(page: Page, number: int):
    return page.locator(f"#question-{number} [data-number]")


@pytest.mark.thorough
def test_sliders_are_set_by_mouse_and_named_points_by_click(desk, task):
    page = desk.open(task)
    box = slide(page, 1).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # where an untouched slider is
    expect(value(page, 1)).to_have_value("50")
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    expect(value(page, 1)).not_to_have_value("50")
    page.get_by_role("button", name="clearly better").click()
    expect(slide(page, 2)).to_have_value("25")
    expect(slide(page, 2)).to_have_attribute("aria-valuetext", "25, clearly better")
    given = float(value(page, 1).input_value())
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"fluent": given, "better": 25}
    assert 70 < given < 80


def test_sliders_are_set_by_keyboard_alone(desk, task):
    page = desk.open(task)
    for key in ("m", "ArrowRight", "End", "PageDown", "3"):
        page.keyboard.press(key)
    expect(value(page, 2)).to_have_value("25")
    expect(value(page, 1)).not_to_have_value("")
    for key in ("m", "ArrowLeft"):
        page.keyboard.press(key)
    page.keyboard.press("1")
    expect(value(page, 2)).to_have_value("-25")
    page.keyboard.press("Enter")
    moved_on(page, task)
    [answer] = answers_to(task)
    assert answer["answers"]["better"] == -25
    assert 80 < answer["answers"]["fluent"] < 100


@pytest.mark.thorough
def test_space_sets_an_untouched_slider_where_it_is_and_arrows_move_on_from_there(desk, task):
    page = desk.open(task)
    expect(slide(page, 1)).to_have_attribute("aria-valuetext", "not answered")
    page.keyboard.press("m")
    page.keyboard.press("Space")
    expect(value(page, 1)).to_have_value("50")
    page.keyboard.press("m")
    page.keyboard.press("ArrowLeft")
    expect(value(page, 2)).to_have_value("-5")
    saved(page)
    page.reload()
    expect(slide(page, 1)).to_have_value("50")
    expect(slide(page, 2)).to_have_value("-5")


def test_an_untouched_slider_is_missing_and_gets_the_focus(desk, task):
    page = desk.open(task)
    page.get_by_role("button", name="the same").click()
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#question-1 .field-error")).to_have_text("This question needs an answer.")
    expect(slide(page, 1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#question-1 .field-error")).to_be_hidden()
    expect(slide(page, 2)).to_have_value("0")


@pytest.mark.thorough
def test_a_typed_number_moves_the_slider_and_a_wrong_one_is_refused(desk, task):
    page = desk.open(task)
    value(page, 1).fill("33.25")
    expect(slide(page, 1)).to_have_value("33.3")
    value(page, 2).fill("12")
    value(page, 2).press("Enter")
    expect(page.locator("#question-2 .field-error")).to_contain_text("whole number of steps of 5 from -50")
    expect(value(page, 2)).to_have_value("12")
    value(page, 2).fill("10")
    value(page, 2).press("Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"fluent": 33.25, "better": 10}


@pytest.mark.thorough
def test_without_scripts_a_slider_is_a_number_field(new_desk, rater, task, tmp_path):
    desk = new_desk(rater, java_script_enabled=False)
    page = desk.open(task)
    expect(slide(page, 1)).to_be_hidden()
    page.get_by_label("How fluent is it?").last.fill("12.5")
    page.get_by_label("How does it compare?").last.fill("-25")
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url(lambda url: str(task.key) not in url)
    assert answers_to(task)[0]["answers"] == {"fluent": 12.5, "better": -25}
    assert sorted(Rating.objects.values_list("level", "number")) == [("interval", -25.0), ("interval", 12.5)]
    export_study(Study.objects.get(), tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    empty_the_database()
    export_study(import_study(tmp_path / "out").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == before


@pytest.mark.thorough
def test_sliders_have_no_findings(desk, task, axe):
    page = desk.open(task)
    assert findings(page, axe) == []
    page.get_by_role("button", name="the same").click()
    assert findings(page, axe) == []
