"""The best and the worst output: by mouse, by keys, without scripts, never the same output twice."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating, Study
from files.reading import import_study
from files.writing import export_study
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.listwise.conftest import SYSTEMS, press, tab
from tests.files.writing.conftest import bytes_of, empty_the_database

QUESTIONS = [
    {"key": "overall", "type": "best_worst", "text": "Best and worst overall"},
    {"key": "factual", "type": "best_worst", "text": "Most and least correct"},
]


@pytest.fixture
def task(bring):
    return bring(questions=QUESTIONS)


def system(task, letter: str) -> str:
    return SYSTEMS[task.order["ABCDE".index(letter)]]


def named(task, best: str, worst: str) -> dict[str, str]:
    return {"best": system(task, best), "worst": system(task, worst)}


def choice(page: Page, side: str, letter: str):
    return page.locator("[data-panel]:visible").get_by_role("radio", name=f"{letter} is the {side}")


def only_chosen(page: Page, side: str, letter: str) -> None:
    """Wait until one output is chosen in the visible question, and no other."""
    expect(choice(page, side, letter)).to_be_checked()
    expect(page.locator("[data-panel]:visible :checked")).to_have_count(1)


@pytest.mark.thorough
def test_two_clicks_answer_a_question_and_files_give_it_back(desk, task, tmp_path):
    page = desk.open(task)
    choice(page, "best", "C").check()
    expect(page.locator("#card-C [data-rank]")).to_have_text("best")
    choice(page, "worst", "A").check()
    expect(tab(page, "Best and worst overall")).to_contain_text("done")
    expect(tab(page, "Most and least correct")).to_have_attribute("aria-selected", "true")
    choice(page, "worst", "B").check()
    expect(tab(page, "Most and least correct")).to_contain_text("1 of 2")
    choice(page, "best", "E").check()
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    [answer] = answers_to(task)
    assert answer["answers"] == {"overall": named(task, "C", "A"), "factual": named(task, "E", "B")}
    rating = Rating.objects.get(question__key="overall")
    assert (rating.level, rating.value, len(rating.shown)) == ("extremes", named(task, "C", "A"), 5)
    export_study(Study.objects.get(), tmp_path / "out")
    before = bytes_of(tmp_path / "out")
    empty_the_database()
    export_study(import_study(tmp_path / "out").study, tmp_path / "again")
    assert bytes_of(tmp_path / "again") == before


def test_letters_and_numbers_answer_by_keyboard_alone(desk, task):
    page = desk.open(task)
    press(page, "b", "1")
    only_chosen(page, "best", "B")
    press(page, "d", "ArrowDown")
    press(page, "a", "2", "e", "ArrowUp", "Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"overall": named(task, "B", "D"), "factual": named(task, "E", "A")}


@pytest.mark.thorough
def test_an_output_is_never_best_and_worst(desk, task):
    page = desk.open(task)
    press(page, "a", "1", "a", "2")
    only_chosen(page, "worst", "A")
    expect(page.locator("[data-panel]:visible [data-said]")).to_have_text("A is the worst. Choose the best, too.")
    expect(tab(page, "Best and worst overall")).to_contain_text("1 of 2")
    press(page, "1")
    expect(page.locator("#announce")).to_have_text("Press an output's letter first, then 1 or 2.")
    saved(page)
    page.reload()
    only_chosen(page, "worst", "A")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#question-1 .field-error")).to_contain_text("lacks the best output")


def test_without_scripts_both_are_chosen_and_the_same_output_twice_is_refused(new_desk, rater, task):
    page = new_desk(rater, java_script_enabled=False).open(task)
    for question in ("overall", "factual"):
        page.locator(f"[name=q-{question}-B][value=B]").check()
        page.locator(f"[name=q-{question}-W][value=B]").check()
    page.locator("[name=q-factual-W][value=D]").check()
    page.get_by_role("button", name="Submit and next").click()
    twice = "This answer gives B as best and as worst: choose two different outputs."
    expect(page.locator(".field-error")).to_have_text([twice])
    page.locator("[name=q-overall-W][value=A]").check()
    page.get_by_role("button", name="Submit and next").click()
    page.wait_for_url(lambda url: str(task.key) not in url)
    assert answers_to(task)[0]["answers"] == {"overall": named(task, "B", "A"), "factual": named(task, "B", "D")}


@pytest.mark.thorough
def test_best_and_worst_have_no_findings(desk, task, axe):
    page = desk.open(task)
    assert findings(page, axe) == []
    choice(page, "best", "C").check()
    assert findings(page, axe) == []
