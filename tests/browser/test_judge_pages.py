"""The pages about judges in a real browser: a run from its estimate to its end, disagreements by key, and axe."""

import pytest
from playwright.sync_api import expect

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import JudgeRun
from config.background.claiming import run_waiting
from judges.background.run_upkeep import settle_runs
from judges.configuration import checked_configuration
from judges.models import Judgment
from judges.run_states import start_run
from tests.browser.accessibility import findings
from tests.browser.scripted_work import scripted_server, worker

SIZES = [(1366, 768), (390, 844)]


@pytest.fixture
def server(settings, tmp_path):
    with scripted_server(settings, tmp_path, 0.05, chat=["stream"]) as scripted:
        yield scripted


@pytest.fixture
def rated(study, rater):
    """People's answers to every unit of the study: always 1."""
    given = rater_for(study, rater)
    while task := next_assignment(study, given):
        form = {"q-follows": ["true"], "q-how_well": ["1"], "q-comment": ["No."]}
        submit(task, Submission(form, revision=0, guidelines_version=1))
    return study


def judged(study, owner, **more):
    """A run that has ended, or waits after its pilot."""
    given = {"protocol": "llm_eval", "model": "scripted/chat", "questions": ["how_well"], **more.pop("given", {})}
    run = start_run(study, checked_configuration(study, given), owner, **more)
    while run_waiting():
        settle_runs()
    settle_runs()
    run.refresh_from_db()
    return run


@pytest.fixture
def page_of(new_desk, owner):
    """Return a function that opens a page about judges as the study's owner."""

    def open_page(path, **options):
        desk = new_desk(owner, **options)
        desk.page.goto(f"{desk.address}/studies/study/judges/{path}")
        return desk.page

    return open_page


@pytest.mark.thorough
def test_a_run_is_estimated_started_and_watched_until_it_ends(page_of, server, study):
    page = page_of("")
    page.get_by_role("link", name="New run").click()
    page.locator("#protocol").select_option("llm_eval")
    page.get_by_role("checkbox", name="How well?").check()
    page.get_by_label("Pilot", exact=True).fill("2")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#estimate")).to_contain_text("First prompt")
    expect(page.locator("#estimate .counts div").first).to_contain_text("6")
    assert not JudgeRun.objects.exists()
    expect(page.get_by_label("Pilot", exact=True)).to_have_value("2")
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.locator("#state .status").first).to_have_text("Running the pilot")
    with worker():
        expect(page.locator("#state .status").first).to_have_text("Pilot done")
        page.get_by_role("link", name="Show the judgments").click()
        expect(page.locator(".pilot")).to_have_count(2)
        page.get_by_role("button", name="Judge the other units").click()
        expect(page.locator("#state .status").first).to_have_text("Finished")
        expect(page.locator(".progress-line")).to_contain_text("6 of 6 judged")
    assert JudgeRun.objects.get().counts == {"valid": 6}


@pytest.mark.thorough
def test_a_refusal_keeps_what_was_entered_and_says_where_it_is(page_of, server, study):
    page = page_of("new/?protocol=llm_eval")
    page.get_by_label("Low", exact=True).fill("7")
    page.get_by_role("checkbox", name="How well?").check()
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#id_questions_error")).to_contain_text("must be below the highest")
    expect(page.get_by_label("Low", exact=True)).to_have_value("7")
    expect(page.get_by_role("button", name="Start")).to_have_count(0)


@pytest.mark.thorough
def test_without_scripts_a_run_is_chosen_estimated_and_started(new_desk, owner, server, study):
    desk = new_desk(owner, java_script_enabled=False)
    page = desk.page
    page.goto(f"{desk.address}/studies/study/judges/new/")
    page.locator("#protocol").select_option("llm_eval")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("checkbox", name="How well?").check()
    page.get_by_role("button", name="Estimate").click()
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.get_by_role("link", name="Reload")).to_be_visible()
    assert JudgeRun.objects.get().work.pilot == 5


def test_the_next_disagreement_is_one_key_away(page_of, server, rated, owner):
    run = judged(rated, owner)
    places = [one.place for one in Judgment.objects.filter(run=run).order_by("place") if one.reading["value"] >= 2]
    assert len(places) > 1
    page = page_of(f"judgments/{Judgment.objects.get(run=run, place=places[0]).pk}/")
    expect(page.locator("#people .status")).to_have_text("disagree")
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text(f"Judgment {places[1] + 1}")
    page.keyboard.press("p")
    expect(page.locator("h1")).to_have_text(f"Judgment {places[0] + 1}")
    page.keyboard.press("j")
    expect(page.locator("h1")).to_have_text(f"Judgment {places[0] + 2}")
    page.keyboard.press("k")
    expect(page.locator("h1")).to_have_text(f"Judgment {places[0] + 1}")
    page.locator("#keys-on").uncheck()
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text(f"Judgment {places[0] + 1}")


@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing_on_the_pages_about_judges(page_of, server, rated, owner, axe, size, settings):
    run = judged(rated, owner, given={"questions": ["how_well", "follows"], "replicates": 2})
    pilot = judged(rated, owner, pilot=2, given={"seed": 3})
    some = Judgment.objects.filter(run=run).order_by("place").first()
    reading = {
        **some.reading, "explanation": "It says when.", "distribution": {"1": 0.1, "2": 0.2, "3": 0.6}, "missing": 0.1,
        "details": {"samples": [{"value": 3, "rationale": "Good."}], "valid": 1},
    }  # fmt: skip
    Judgment.objects.filter(pk=some.pk).update(reading=reading)
    failed = Judgment.objects.filter(run=run).order_by("-place").first()
    Judgment.objects.filter(pk=failed.pk).update(outcome="invalid", reading=None, reason="no number")
    page = page_of("", viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    base = page.url
    for path in ("", "new/", "new/?protocol=llm_eval", f"runs/{run.pk}/", f"runs/{run.pk}/?outcome=invalid",
                 f"runs/{pilot.pk}/", f"judgments/{some.pk}/", f"judgments/{failed.pk}/?searched=next"):  # fmt: skip
        page.goto(base + path)
        assert findings(page, axe) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
    page.goto(base + "new/?protocol=llm_eval")
    page.get_by_role("checkbox", name="How well?").check()
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#estimate")).to_contain_text("First prompt")
    assert findings(page, axe) == []
    settings.ENDPOINTS_FILE = settings.VAR / "missing.yaml"
    page.goto(base)
    assert findings(page, axe) == []
