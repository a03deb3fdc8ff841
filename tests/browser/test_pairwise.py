"""Two outputs side by side: chosen by mouse, by arrow keys, without scripts; what helps to compare them."""

import json

import pytest
from playwright.sync_api import Page, expect

from annotation.desk.assigning import next_assignment
from annotation.desk.highlighting import as_displayed
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from files.writing import export_study
from tests.browser.accessibility import findings
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.test_safety import CORPUS, foreign_markup, refusals
from tests.fewer import first_cases
from tests.files.writing.conftest import bytes_of, empty_the_database

SYSTEMS = ("system-north", "system-south", "system-west")
LONG = "\n\n".join(f"Paragraph {number}. " + "Ferries sail when the wind lets them. " * 12 for number in range(12))
GUIDELINES = """# All

Read both.

## Checklist

- Is it right?

## Example 1: birds

A is better.

## Example 2: trains

B is better.
"""
QUESTIONS = [
    {"key": "better", "type": "preference", "text": "Which is better?"},
    {"key": "clear", "type": "likert", "min": 1, "max": 3, "text": "How clear was the choice?", "required": False},
    {"key": "why", "type": "text", "text": "Why?", "required": False},
]


@pytest.fixture
def pair_study(db, tmp_path, rater):
    """A function that makes a live study whose items have these texts as outputs."""

    def make(texts=("It sails at nine.", "It sails at ten."), *, items=2, document="", **more) -> Study:
        folder = tmp_path / "in"
        folder.mkdir()
        body = {"slug": "pairs", "title": "Pairs", "protocol": "pairwise", "redundancy": 1, "guidelines": GUIDELINES}
        (folder / "study.json").write_text(json.dumps(body | {"questions": QUESTIONS} | more))
        outputs = [{"id": system, "text": text} for system, text in zip(SYSTEMS, texts, strict=False)]
        reference = {"id": "CANARY", "text": "CANARY-TEXT", "writer": "human"}
        lines = [
            {"id": f"key-{number}", "document": document, "instruction": "When does it sail?", "outputs": outputs,
             "references": [reference]}
            for number in range(items)
        ]  # fmt: skip
        (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        study = import_study(folder).study
        while plan_chunk(study):
            pass
        add_member(study, rater, "annotator", None)
        study.refresh_from_db()
        study.status = Study.Status.LIVE
        study.save()
        return study

    return make


@pytest.fixture
def first(rater):
    """A function that gives the rater's first task of a study."""
    return lambda study: next_assignment(study, rater_for(study, rater))


def shown(task: Assignment) -> list[str]:
    keys = list(task.task.task_outputs.order_by("position").values_list("output__key", flat=True))
    return [keys[place] for place in task.order]


def column(page: Page, letter: str):
    return page.locator(f"[data-scroll=output-{letter}]")


def scrolled(scroller) -> None:
    """Wait until a column is no longer at its top."""
    look = "look = () => (node.scrollTop > 0 ? done(true) : requestAnimationFrame(look))"
    scroller.evaluate(f"node => new Promise((done) => {{ const {look}; look(); }})")


def test_a_pair_is_judged_by_mouse_and_the_next_one_comes(desk, pair_study, first):
    task = first(pair_study())
    page = desk.open(task)
    page.locator("label", has_text="B is better").click()
    page.get_by_label("Why?").fill("It is right.")
    saved(page)
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    [answer] = answers_to(task)
    assert answer["answers"] == {"better": shown(task)[1], "why": "It is right."}


@pytest.mark.parametrize(("key", "place"), first_cases([("ArrowLeft", 0), ("ArrowRight", 1), ("ArrowDown", None)]))
def test_a_pair_is_judged_by_keyboard_alone(desk, pair_study, first, key, place):
    task = first(pair_study())
    page = desk.open(task)
    for one in (key, "3", "c"):
        page.keyboard.press(one)
    page.keyboard.type("Just so.")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    moved_on(page, task)
    better = "tie" if place is None else shown(task)[place]
    assert answers_to(task)[0]["answers"] == {"better": better, "clear": 3, "why": "Just so."}
    assert page.evaluate("document.activeElement.id") == "task"


def test_a_study_goes_from_the_browser_to_an_export_and_back_to_the_same_bytes(desk, pair_study, first, tmp_path):
    study = pair_study()
    task = first(study)
    page = desk.open(task)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("d")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{desk.address}/studies/pairs/end/")
    export_study(study, tmp_path / "first")
    lines = [json.loads(line) for line in (tmp_path / "first" / "ratings.jsonl").read_text().splitlines()]
    assert [line["value"] for line in lines if line["shown"] == shown(task)].count(shown(task)[0]) == 1
    assert sorted(line["value"] == "tie" for line in lines) == [False, True]
    assert all(line["outputs"] == line["shown"] for line in lines)
    page.goto("about:blank")
    empty_the_database()
    import_study(tmp_path / "first")
    export_study(Study.objects.get(slug="pairs"), tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


@pytest.mark.thorough
def test_going_back_shows_the_saved_choice_and_a_change_makes_a_revision(desk, pair_study, first):
    task = first(pair_study())
    page = desk.open(task)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("p")
    expect(page.locator("#question-1 :checked")).to_have_value("A")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert [row["answers"]["better"] for row in answers_to(task)] == shown(task)


def test_without_an_answer_the_page_says_what_is_missing_and_keeps_what_was_typed(desk, pair_study, first):
    task = first(pair_study())
    page = desk.open(task)
    page.get_by_label("Why?").fill("Kept.")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#question-1 .field-error")).to_have_text("This question needs an answer.")
    expect(page.locator("#question-1 input").first).to_be_focused()
    expect(page.get_by_label("Why?")).to_have_value("Kept.")


def test_where_ties_are_off_none_is_offered_and_its_key_does_nothing(desk, pair_study, first):
    questions = [QUESTIONS[0] | {"allow_tie": False}]
    page = desk.open(first(pair_study(questions=questions)))
    expect(page.locator("#question-1 input")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#question-1 :checked")).to_have_value("B")


def test_differences_are_marked_word_by_word_when_asked_for(desk, pair_study, first):
    task = first(pair_study(("The ferry sails at nine, daily.", "The ferry leaves at nine, daily.")))
    page = desk.open(task)
    expect(page.locator("mark")).to_have_count(0)
    before = column(page, "A").locator(".reading").bounding_box()
    page.keyboard.press("d")
    expect(page.locator("mark.differs")).to_have_count(2)
    assert sorted(page.locator("mark.differs").all_text_contents()) == ["leaves", "sails"]
    assert column(page, "A").locator(".reading").bounding_box() == before
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    moved_on(page, task)
    expect(page.locator("mark.differs")).to_have_count(2)
    page.get_by_role("button", name="Differences").click()
    expect(page.locator("mark")).to_have_count(0)
    assert answers_to(task)[0]["tool_use"] == {"differences": 1}


def test_the_checklist_folds_out_beside_and_stays_for_the_next_task(desk, pair_study, first):
    task = first(pair_study())
    page = desk.open(task)
    expect(page.locator("#checklist")).to_be_hidden()
    page.keyboard.press("k")
    expect(page.locator("#checklist")).to_contain_text("Is it right?")
    expect(page.get_by_role("button", name="Checklist")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    moved_on(page, task)
    expect(page.locator("#checklist")).to_be_visible()
    page.get_by_role("button", name="Checklist").click()
    expect(page.locator("#checklist")).to_be_hidden()


@pytest.mark.thorough
def test_on_a_tablet_the_open_checklist_covers_neither_texts_nor_reading_aids(new_desk, rater, pair_study, first):
    desk = new_desk(rater, viewport={"width": 820, "height": 1180})
    page = desk.open(first(pair_study(document="It sails at nine.")))
    page.keyboard.press("k")
    edge = page.locator("#checklist").bounding_box()["x"]
    for part in (column(page, "B"), page.locator("#checklist-button"), page.locator("#examples-button")):
        box = part.bounding_box()
        assert box["x"] + box["width"] <= edge


@pytest.mark.thorough
def test_the_worked_examples_are_one_key_away_and_escape_leads_back(desk, pair_study, first):
    page = desk.open(first(pair_study()))
    page.keyboard.press("e")
    expect(page.locator("#examples")).to_be_visible()
    expect(page.locator("#examples h3")).to_have_text(["Example 1: birds", "Example 2: trains"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#examples")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#question-1 :checked")).to_have_value("A")


@pytest.mark.thorough
def test_without_scripts_a_pair_can_be_judged_and_the_checklist_is_there(new_desk, rater, pair_study, first):
    desk = new_desk(rater, java_script_enabled=False)
    task = first(pair_study(document="It sails at nine."))
    page = desk.open(task)
    expect(page.get_by_text("Marking differences needs JavaScript.")).to_be_visible()
    expect(page.locator("#checklist")).to_be_visible()
    expect(page.locator("[data-text=document]")).to_be_visible()
    page.locator("#examples-button").click()
    expect(page.locator("#examples")).to_contain_text("Example 2: trains")
    page.keyboard.press("Escape")
    page.locator("label", has_text="Tie").click()
    page.locator("#submit").click()
    assert answers_to(task)[0]["answers"] == {"better": "tie"}


def test_on_a_tall_phone_both_texts_share_one_pane_and_the_choice_is_docked(new_desk, rater, pair_study, first):
    desk = new_desk(rater, viewport={"width": 390, "height": 1000}, has_touch=True, is_mobile=True)
    page = desk.open(first(pair_study((LONG, LONG), document=LONG)))
    for name in ("A is better", "Tie", "B is better"):
        choice = page.locator("label", has_text=name)
        expect(choice).to_be_in_viewport()
        assert choice.bounding_box()["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    left, right = (column(page, letter).bounding_box() for letter in "AB")
    assert left["y"] + left["height"] <= right["y"]
    expect(page.locator("[data-text=document]")).to_be_hidden()
    page.get_by_role("button", name="Document").tap()
    expect(page.locator("[data-text=document]")).to_be_visible()
    page.get_by_role("button", name="Document").tap()
    page.get_by_role("button", name="Checklist").tap()
    expect(page.locator("#checklist")).to_be_in_viewport()
    page.get_by_role("button", name="Back to the task").tap()
    expect(page.locator("#checklist")).to_be_hidden()


def test_nothing_that_is_sent_names_a_system_or_a_reference(desk, pair_study, first):
    sent = []

    def listen(route):
        answer = route.fetch()
        sent.append((route.request.url, f"{answer.url} {answer.headers} {answer.text()}"))
        route.fulfill(response=answer)

    desk.context.route(lambda url: "/static/" not in url, listen)
    task = first(pair_study())
    page = desk.open(task)
    page.keyboard.press("g")
    expect(page.locator("#guidelines-body")).to_contain_text("Read both.")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    saved(page)
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("u")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    desk.context.unroute_all(behavior="wait")
    assert len(sent) >= 5
    canaries = (*SYSTEMS, "CANARY", "key-0", "key-1")
    assert [(url, canary) for url, text in sent for canary in canaries if canary in url + text] == []


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_wrong(new_desk, rater, pair_study, first, axe, size):
    size = {"width": size[0], "height": size[1]}
    desk = new_desk(rater, viewport=size, reduced_motion="reduce")
    page = desk.open(first(pair_study(("It sails at nine.", "It leaves at ten."), document=LONG)))
    assert findings(page, axe) == []
    page.keyboard.press("d")
    page.locator("mark").first.wait_for()
    page.keyboard.press("Enter")
    page.locator("#question-1 .field-error").wait_for()
    assert findings(page, axe) == []
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("k")
    assert findings(page, axe) == []
    page.keyboard.press("e")
    page.locator("#examples").wait_for()
    assert findings(page, axe) == []


@pytest.mark.thorough
def test_hostile_texts_stay_texts_beside_each_other(desk, pair_study, first):
    guidelines = f"## Checklist\n\n{CORPUS}\n\n## Example 1\n\n{CORPUS}"
    questions = [QUESTIONS[0] | {"text": CORPUS, "help": CORPUS}, *QUESTIONS[1:]]
    other = CORPUS + CORPUS[::-1]
    study = pair_study((CORPUS, other), document=CORPUS, guidelines=guidelines, questions=questions)
    page = desk.page
    stopped = refusals(page)
    task = first(study)
    desk.open(task)
    for key in ("d", "i", "k", "l"):
        page.keyboard.press(key)
    page.locator("mark.differs").first.wait_for()
    page.keyboard.press("e")
    expect(page.locator("#examples")).to_contain_text("alert(1)")
    expect(page.locator("#checklist")).to_contain_text("alert(1)")
    texts = {node.text_content() for node in page.locator("[data-text^=output-]").all()}
    assert texts == {as_displayed(CORPUS), as_displayed(other)}
    assert (foreign_markup(page), stopped) == (0, [])
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.get_by_label("Why?").fill(CORPUS[:19_000])
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    page.go_back()
    expect(page.get_by_label("Why?")).to_have_value(CORPUS[:19_000])
    assert (foreign_markup(page), stopped) == (0, [])
