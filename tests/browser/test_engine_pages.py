"""The pages about models and papers in a real browser: axe, hostile texts, and what goes on by itself."""

from datetime import UTC, datetime

import pytest
from django.urls import resolve
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Item, Membership, Study
from config.background.claiming import run_waiting
from config.models import Worker
from llm.budgets import set_cap
from llm.models import Budget, Completion, EndpointState
from llm.prompt_versions import publish_prompt
from retrieval.trial_searches import try_search
from tests.browser.accessibility import findings
from tests.browser.test_safety import CORPUS, foreign_markup, refusals
from tests.llm.calls import write_endpoints
from tests.models_and_papers import make_build, make_call, make_completion, make_paper_upload, make_trial

LINE = CORPUS[:200].replace("\n", " ")


@pytest.fixture
def engine(db, owner, settings, tmp_path, monkeypatch) -> Study:
    """A study of questions with papers, with a row in every state, whose every text is hostile."""
    resolve("/")  # imports every app here, and not within the time that a browser waits for its first page
    settings.VAR = tmp_path
    monkeypatch.setenv("CAMPUS_KEY", "secret")
    write_endpoints(settings, tmp_path, more="key: CAMPUS_KEY")
    study = Study.objects.create(slug="engine", title=CORPUS, protocol="session", redundancy=1)
    Membership.objects.create(study=study, person=owner, role="owner")
    owner.full_name = CORPUS[:200]
    owner.save()
    paper = {"id": LINE, "title": CORPUS, "authors": [CORPUS], "paragraphs": CORPUS.splitlines()}
    content = {"question": CORPUS, "documents": [paper]}
    Item.objects.create(study=study, key=LINE, digest="x", content=content)
    now = timezone.now()
    over = {"status": "failed", "ended_at": now, "reason": CORPUS}
    hostile = {"messages": [{"role": "user", "content": CORPUS}], "text": CORPUS, "raw": CORPUS, "reason": CORPUS}
    for number in range(3):
        make_call(study, owner, **hostile, run=LINE, step=LINE[:50], work=LINE, refusal=CORPUS, status="refused",
                  model_returned=LINE, prompt_key=LINE, finish_reason=LINE[:50], logprobs=[{"token": CORPUS}],
                  parameters={LINE: CORPUS}, attempts=[{"ended": CORPUS, "status": 500, "seconds": 1.0}])  # fmt: skip
        Budget.objects.create(study=study, run=f"{number}{LINE[:190]}", cap=100, spent=50)
    set_cap(study, 1_000_000, owner)
    make_completion(study, owner, text=CORPUS, request={"messages": hostile["messages"]}, **over)
    make_build(study, 1, **over)
    make_trial(study, owner, query=CORPUS, **over)
    hit = {"document": LINE, "paragraph": 0, "paper": 0, "title": CORPUS, "text": CORPUS, "rank": 1, "score": 1.5}
    make_trial(study, owner, query=CORPUS, status="done", ended_at=now, hits=[hit], searcher=LINE[:100], index="1:x")
    make_paper_upload(study, owner, item_key=LINE, question=CORPUS, problems=[CORPUS], **over)
    own = CORPUS.replace("{{", "{ {")[:20_000]
    publish_prompt(study, "llm", "try", own, own + "{{question}} {{text}}", owner)
    EndpointState.objects.create(name="campus", failures=5, open_until=datetime(2999, 1, 1, tzinfo=UTC), message=CORPUS)
    return study


def pages_of(study: Study) -> list[str]:
    call, tried = study.calls.first(), study.completions.first()
    trials = [f"papers/searches/{trial.pk}/" for trial in study.trial_searches.all()]
    below = ["models/", "models/calls/", f"models/calls/{call.pk}/", f"models/trials/{tried.pk}/", "models/prompts/",
             "models/prompts/llm/try/", "papers/", *trials]  # fmt: skip
    return [f"/studies/{study.slug}/{path}" for path in below]


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_axe_finds_nothing_on_the_pages_about_models(new_desk, engine, owner, axe, size):
    engine.title = "A study"
    engine.save()
    options = {"viewport": {"width": size[0], "height": size[1]}, "reduced_motion": "reduce"}
    desk = new_desk(owner, **options)
    for path in pages_of(engine):
        desk.page.goto(desk.address + path)
        assert findings(desk.page, axe) == [], path
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= size[0], path


@pytest.mark.thorough
def test_hostile_texts_stay_texts_on_the_pages_about_models(new_desk, engine, owner):
    desk = new_desk(owner)
    stopped = refusals(desk.page)
    for path in pages_of(engine):
        desk.page.goto(desk.address + path)
        desk.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert (foreign_markup(desk.page), stopped) == (0, []), path
        assert "alert(1)" in desk.page.locator("main").inner_text()


@pytest.mark.thorough
def test_a_page_says_that_no_worker_runs_and_takes_it_back_by_itself(new_desk, engine, owner):
    desk = new_desk(owner)
    desk.page.clock.install()
    desk.page.goto(f"{desk.address}/studies/engine/models/")
    notice = desk.page.get_by_text("No worker is running.")
    expect(notice).to_be_visible()
    now = timezone.now()
    Worker.objects.create(name="a", queues="calls,jobs", started_at=now, seen_at=now)
    desk.page.clock.run_for(16_000)
    expect(notice).to_have_count(0)
    Worker.objects.all().delete()
    desk.page.clock.run_for(16_000)
    expect(notice).to_be_visible()


def test_a_question_to_a_model_is_answered_while_its_page_is_looked_at(new_desk, engine, owner):
    desk = new_desk(owner)
    page = desk.page
    page.goto(f"{desk.address}/studies/engine/models/")
    page.get_by_label("Model", exact=True).select_option("extractive/extractive")
    page.locator("#trial-question").fill("When does the ferry sail?")
    page.locator("#trial-text").fill("In summer the ferry to the northern islands sails at nine in the morning.")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_text("In the queue …")).to_be_visible()
    run_waiting()
    assert Completion.objects.filter(status="done").exists()
    expect(page.locator("#reply .status")).to_have_text("Done")
    expect(page.locator("#reply .prose")).to_contain_text("sails at nine")


@pytest.mark.thorough
def test_a_search_is_answered_while_its_page_is_looked_at(new_desk, engine, owner):
    trial = try_search(Item.objects.get(study=engine), "ferry", owner)
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/engine/papers/searches/{trial.pk}/")
    expect(desk.page.get_by_text("In the queue …")).to_be_visible()
    run_waiting()
    expect(desk.page.locator("#found .notice")).to_be_visible()


@pytest.mark.thorough
def test_without_scripts_questions_and_searches_are_sent_and_looked_at_again(new_desk, engine, owner):
    desk = new_desk(owner, java_script_enabled=False)
    page = desk.page
    page.goto(f"{desk.address}/studies/engine/models/")
    page.locator("#trial-question").fill("When does the ferry sail?")
    page.get_by_role("button", name="Ask").click()
    run_waiting()
    page.get_by_role("link", name="Reload").click()
    expect(page.locator("#reply .status")).to_have_text("Failed")
    expect(page.locator("#reply .notice")).to_be_visible()


def test_a_question_whose_papers_were_read_appears_by_itself(new_desk, engine, owner, tmp_path):
    desk = new_desk(owner)
    desk.page.goto(f"{desk.address}/studies/engine/papers/")
    desk.page.get_by_label("Id", exact=True).fill("q9")
    desk.page.get_by_role("textbox", name="Question").fill("When do ferries sail?")
    paper = tmp_path / "ferries.txt"
    paper.write_text("Ferries sail at nine.", encoding="utf-8")
    desk.page.locator("#add-papers").set_input_files(paper)
    desk.page.get_by_role("button", name="Add question").click()
    reading = desk.page.locator("#reading li").first
    expect(reading).to_contain_text("In the queue")
    run_waiting()
    expect(reading).to_contain_text("Added.")
    expect(desk.page.locator("#asked")).to_contain_text("When do ferries sail? 1 paper, 1 passage")
    assert desk.faults == []
