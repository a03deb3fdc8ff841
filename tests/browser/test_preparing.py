"""Draft studies from documents to live on their own pages, in a real browser at a scripted endpoint."""

import time

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Study
from config.background.claiming import run_waiting
from parts.preparing.models import PreparedText, Suggestion
from sessions.steps import finish
from sessions.workflow import Due
from tests.browser.accessibility import findings
from tests.browser.scripted_work import scripted_server, worker
from tests.filled import PAPERS
from tests.parts.preparing.prepared_studies import (
    document_line,
    empty_study,
    step_to_end,
    with_documents,
    write_documents,
)
from tests.sessions.conftest import begun, turned, where

JUDGES = {"rating": "llm_eval", "listwise": "llm_rank", "pairwise": "llm_compare", "session": "session_rating"}
SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def server(settings, tmp_path):
    with scripted_server(settings, tmp_path, 0.02, chat=["stream", "seed"], other=["stream"]) as scripted:
        yield scripted


@pytest.fixture
def page_of(new_desk, owner):
    """Return a function that opens the page Prepare of a study as its owner."""

    def open_page(study, path="", **options):
        desk = new_desk(owner, **options)
        desk.page.goto(f"{desk.address}/studies/{study.slug}/prepare/{path}")
        return desk.page

    return open_page


def draw(page, path):
    page.get_by_label("Documents", exact=True).set_input_files(path)
    page.get_by_label("Fewest words").fill("10")
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".sample").first).to_contain_text("drawn from")


def start(page):
    """Estimate what the form says, start it, and wait on the page Prepare until nothing runs."""
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#estimate")).to_contain_text("First prompt")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".steps-table")).to_be_visible()
    expect(page.locator(".steps-table .status.live")).to_have_count(0)


def write_answers(page, system, generic="yes"):
    page.get_by_role("link", name="Let a model write").click()
    page.get_by_label("System id").fill(system)
    page.get_by_label("Prompt").select_option(generic)
    start(page)


def answer_all(study, person):
    """Answer every task as one person, in another way each time."""
    add_member(study, person, "annotator", None)
    number = 0
    while (task := next_assignment(study, rater_for(study, person))) is not None:
        first, second = ("1", "2") if number % 2 else ("2", "1")
        unmarked = {f"q-errors-{letter}": ["none"] for letter in "AB"}
        form = {
            "rating": {"q-follows": ["true"], "q-how_well": [str(1 + number % 5)]},
            "listwise": {"q-overall-A": [first], "q-overall-B": [second], **unmarked},
            "pairwise": {"q-better": ["A" if number % 2 else "B"]},
        }[study.protocol]  # fmt: skip
        submit(task, Submission(form, 0, 1))
        number += 1


def revise(study, person):
    """Have one person revise an answer in four turns, good and bad by turns, with the scripted model."""
    study.refresh_from_db()
    add_member(study, person, "annotator", None)
    session = begun(study, person)
    until = time.monotonic() + 60
    while where(session).due != Due.INSTRUCT and time.monotonic() < until:
        run_waiting(2)
        time.sleep(0.1)
    for number in range(4):
        turned(session, f"Make it shorter, time {number}.", "bad" if number % 2 else "good")
    finish(session)


def judge_on_its_page(page, protocol):
    """Start a run of the judge from its form, and wait for its end."""
    page.goto(page.url.partition("/studies/")[0] + f"/studies/draft/judges/new/?protocol={JUDGES[protocol]}")
    page.get_by_label("Model", exact=True).select_option("scripted/chat")
    page.locator("input[name='questions']").first.check()
    page.locator("input[name='pilot']").fill("0")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#state .status").first).to_have_text("Finished")
    page.get_by_role("link", name="Judges", exact=True).first.click()


@pytest.mark.parametrize(
    "protocol", [pytest.param(one, marks=pytest.mark.thorough) for one in ("listwise", "rating", "pairwise")]
)
def test_documents_become_a_live_study_with_a_leaderboard(page_of, server, owner, rater, tmp_path, protocol):
    study = empty_study(tmp_path, protocol, owner, blind_researchers=False)
    path = write_documents(tmp_path / "documents.jsonl", [document_line(number) for number in range(4)])
    page = page_of(study)
    with worker():
        draw(page, path)
        page.get_by_role("link", name="Write instructions").click()
        page.get_by_label("Part").fill("2")
        start(page)
        write_answers(page, "north")
        write_answers(page, "south", "no")
        page.get_by_role("button", name="Put them into the study").click()
        expect(page.locator("#state")).to_contain_text("In the study")
        page.get_by_role("button", name="Go live").click()
        expect(page.locator(".page-head .status")).to_have_text("Live")
        study.refresh_from_db()
        assert study.is_live
        answer_all(study, rater)
        judge_on_its_page(page, protocol)
        page.get_by_role("link", name="Compare with people").click()
        expect(page.locator("table.judges tbody tr").nth(1)).to_contain_text(f"{JUDGES[protocol]}/scripted/chat")
    assert Item.objects.filter(study=study).count() == 6
    output = Item.objects.filter(study=study).first().outputs.first()
    assert (output.key, output.writer) == ("north", "model")


@pytest.mark.thorough
def test_paragraphs_become_sessions_with_a_leaderboard(page_of, server, owner, rater, tmp_path):
    study = empty_study(tmp_path, "session", owner, models=["scripted/chat"])
    lines = [document_line(number, title="On ferries", documents=PAPERS) for number in range(3)]
    page = page_of(study)
    with worker():
        draw(page, write_documents(tmp_path / "documents.jsonl", lines))
        page.get_by_role("link", name="Draft questions").click()
        start(page)
        assert Suggestion.objects.filter(state="dropped").exists()
        page.get_by_role("link", name="Decide").click()
        page.locator(".suggestion").first.get_by_role("button", name="Accept").click()
        expect(page.locator(".suggestion").first.locator(".status")).to_have_text("Accepted")
        page.get_by_role("link", name="Prepare").last.click()
        page.get_by_role("button", name="Put them into the study").click()
        page.get_by_role("button", name="Go live").click()
        expect(page.locator(".page-head .status")).to_have_text("Live")
    item = Item.objects.get(study=study)
    assert item.content["question"] == Suggestion.objects.get(state="accepted").text
    assert item.content["documents"] == PAPERS
    revise(study, rater)
    with worker():
        judge_on_its_page(page, "session")
        page.get_by_role("link", name="Compare with people").click()
        expect(page.locator("table.judges tbody tr").nth(1)).to_contain_text("session_rating/scripted/chat")


@pytest.mark.thorough
def test_a_trial_is_rated_side_by_side_and_its_winner_writes_the_rest(
    page_of, new_desk, server, owner, rater, tmp_path
):
    study = empty_study(tmp_path, "rating", owner)
    with_documents(study, tmp_path, 3)
    page = page_of(study)
    with worker():
        page.get_by_role("link", name="Try models on a few documents").click()
        page.get_by_role("checkbox", name="scripted/chat").check()
        page.get_by_role("checkbox", name="scripted/other").check()
        page.get_by_label("Documents").fill("2")
        page.get_by_label("Evaluators per document").fill("1")
        start(page)
        page.get_by_role("button", name="Have the sets rated").click()
        expect(page.locator("h1")).to_contain_text("Instructions for A draft")
        trial = Study.objects.get(slug="draft-trial-1")
        rate_sets(new_desk, trial, rater)
        page.goto(page.url.partition("/studies/")[0] + "/studies/draft/prepare/")
        expect(page.locator(".wins")).to_contain_text("2 of 2")
        page.get_by_role("button", name="Choose scripted/other").click()
        page.get_by_role("link", name="Let it write the rest").click()
        expect(page.get_by_label("Model")).to_have_value("scripted/other")
        start(page)
    accepted = Suggestion.objects.filter(study=study, state="accepted")
    assert {one.step.said("model") for one in accepted} == {"scripted/other"}
    assert accepted.values("document").distinct().count() == 3


def rate_sets(new_desk, trial, rater):
    """Rate every set of `scripted/other` as good and all others as bad, on the evaluator's own page."""
    add_member(trial, rater, "annotator", None)
    desk = new_desk(rater)
    while (task := next_assignment(trial, rater_for(trial, rater))) is not None:
        keys = list(task.task.item.outputs.order_by("position").values_list("key", flat=True))
        page = desk.open(task)
        expect(page.locator(".card-output")).to_have_count(2)
        assert "scripted" not in page.content()
        for letter, place in zip("AB", task.order, strict=True):
            rating = "good" if keys[place] == "scripted/other" else "bad"
            page.locator(f"input[name='q-quality-{letter}'][value='{rating}']").check()
        page.get_by_role("button", name="Submit and next").click()
        page.wait_for_url(lambda url, key=str(task.key): key not in url)


def test_an_output_is_edited_beside_a_live_difference(page_of, server, owner, tmp_path):
    study = empty_study(tmp_path, "rating", owner)
    with_documents(study, tmp_path, 1)
    step_to_end(study, "instructions", model="scripted/chat", accept=True, count=1)
    step_to_end(study, "answers", model="scripted/chat", system="north")
    page = page_of(study, "outputs/")
    page.get_by_role("link", name="Edit north").click()
    field = page.get_by_label("Edited output")
    original = field.input_value()
    field.fill(original.replace("A scripted answer", "My own answer"))
    expect(page.locator("#difference ins").first).to_have_text("My own")
    expect(page.locator("#difference del").first).to_have_text("A scripted")
    page.set_viewport_size({"width": 390, "height": 844})
    edges = page.locator("section.card").evaluate_all(
        "cards => cards.map((card) => card.getBoundingClientRect()).flatMap(({ top, bottom }) => [top, bottom])"
    )
    assert edges[2] - edges[1] == pytest.approx(edges[4] - edges[3], abs=0.5)  # each card is as far from the next
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".written")).to_have_count(2)
    edit = PreparedText.objects.get(writer="human")
    assert edit.edited_from.key == "north"
    assert ["added", "My own "] in edit.difference


@pytest.mark.thorough
def test_without_scripts_a_requirement_is_edited_and_accepted(new_desk, server, owner, tmp_path):
    study = empty_study(tmp_path, "rating", owner)
    with_documents(study, tmp_path, 1)
    step_to_end(study, "requirements", model="scripted/chat", count=1)
    desk = new_desk(owner, java_script_enabled=False)
    desk.page.goto(f"{desk.address}/studies/draft/prepare/texts/")
    desk.page.get_by_role("button", name="Accept", exact=True).click()
    expect(desk.page.locator(".field-error")).to_contain_text("Choose at least one kind")
    desk.page.get_by_role("checkbox", name="meta").first.check()
    desk.page.locator(".suggestion textarea").fill("Summarise it as a timeline.")
    desk.page.get_by_role("button", name="Accept", exact=True).click()
    one = Suggestion.objects.get()
    assert (one.state, one.kinds, one.text) == ("accepted", ["meta"], "Summarise it as a timeline.")
    assert one.original != one.text


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_on_the_pages_of_preparing(page_of, server, owner, tmp_path, axe, size):
    study = empty_study(tmp_path, "rating", owner)
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
    page = page_of(study, **options)
    base = page.url
    assert findings(page, axe) == []
    with_documents(study, tmp_path, 3)
    step_to_end(study, "instructions", model="scripted/chat", accept=True, count=2)
    step_to_end(study, "requirements", model="scripted/chat", count=2)
    step_to_end(study, "answers", model="scripted/chat", system="north")
    output = PreparedText.objects.first()
    for path in ("", "ask/instructions/", "ask/answers/", "trial/", "steps/1/", "texts/", "texts/?state=accepted",
                 "outputs/", f"outputs/{output.pk}/edit/"):  # fmt: skip
        page.goto(base + path)
        assert findings(page, axe) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
