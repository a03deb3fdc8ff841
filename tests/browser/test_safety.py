"""What people and systems wrote is text and nothing else; and nothing tells a rater whose output it is."""

from pathlib import Path

from playwright.sync_api import Page, expect

from annotation.desk.assigning import next_assignment
from annotation.desk.highlighting import as_displayed
from annotation.members.membership import rater_for
from annotation.models import Guideline, Item, Membership, Output, Question, Study
from annotation.studies.planning import plan_chunk
from tests.browser.conftest import moved_on, saved
from tests.conftest import SYSTEMS

CORPUS = (Path(__file__).parent.parent / "data" / "xss.txt").read_text(encoding="utf-8")
LEAST = 300
CANARIES = [*SYSTEMS, "CANARY"]


def hostile_study(rater) -> Study:
    """Every text that the desk shows is the whole corpus."""
    study = Study.objects.create(
        slug="hostile", title=CORPUS, contact=CORPUS, protocol="rating", redundancy=1, status="live"
    )
    Guideline.objects.create(study=study, number=1, text=CORPUS)
    specs = [
        ("binary", {"labels": [CORPUS, "No"]}),
        ("likert", {"min": 1, "max": 2, "labels": [CORPUS, "all"]}),
        ("category", {"choices": [CORPUS, "other"]}),
        ("text", {}),
    ]
    for position, (kind, spec) in enumerate(specs):
        Question.objects.create(
            study=study, position=position, key=f"key-{kind}", type=kind, text=CORPUS, help=CORPUS, spec=spec
        )
    for number in range(2):
        item = Item.objects.create(study=study, key=f"item-{number}", document=CORPUS, instruction=CORPUS, digest="x")
        Output.objects.create(item=item, position=0, key=CORPUS[:200].replace("\n", " "), text=CORPUS, digest="x")
    plan_chunk(study)
    Membership.objects.create(study=study, person=rater, role="annotator")
    return study


def refusals(page: Page) -> list[str]:
    """What the content security policy had to stop: markup that should never have been markup."""
    stopped = []
    page.on("console", lambda entry: "Content Security Policy" in entry.text and stopped.append(entry.text))
    return stopped


def foreign_markup(page: Page) -> int:
    return page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((node) =>
            node.matches("iframe, object, embed, base, math, video, audio, marquee, style, img")
            || (node.matches("[style]") && !/^(--(actions|dock): [0-9]+px; ?)+$/.test(node.getAttribute("style")))
            || [...node.attributes].some((one) => one.name.startsWith("on") || one.name.startsWith("hx-on"))
            || /^\\s*(javascript|data|vbscript):/i.test(node.getAttribute("href") ?? "")).length"""
    )


def test_hostile_texts_stay_texts_everywhere_on_the_desk(desk, rater):
    assert len(CORPUS.splitlines()) >= LEAST
    study = hostile_study(rater)
    task = next_assignment(study, rater_for(study, rater))
    rater.full_name = CORPUS[:200]
    rater.save()
    page = desk.page
    stopped = refusals(page)
    desk.open(task)
    for name in ("document", "output"):
        assert page.locator(f"[data-text={name}]").evaluate("node => node.textContent") == as_displayed(CORPUS)
    page.keyboard.press("h")
    page.keyboard.press("i")
    page.keyboard.press("g")
    expect(page.locator("#guidelines-body")).to_contain_text("alert(1)")
    assert (foreign_markup(page), stopped) == (0, [])
    page.keyboard.press("Escape")
    for question in (1, 2, 3):
        page.locator(f"#question-{question} input").last.check()
    page.locator("#question-4 textarea").fill(CORPUS[:19_000])
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.locator("#flag-reason").fill(CORPUS[:4000])
    page.get_by_role("button", name="Flag task").click()
    expect(page.locator("#flag-button")).to_contain_text("Flagged")
    saved(page)
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("p")
    expect(page.locator("#question-4 textarea")).to_have_value(CORPUS[:19_000])
    assert (foreign_markup(page), stopped) == (0, [])
    page.goto(f"{desk.address}/studies/hostile/guidelines/")
    assert (foreign_markup(page), stopped) == (0, [])
    page.goto(f"{desk.address}/")
    assert (foreign_markup(page), stopped) == (0, [])


def test_nothing_that_is_sent_to_a_rater_names_a_system_or_a_reference(desk, task):
    sent = []

    def listen(route):
        answer = route.fetch()
        sent.append((route.request.url, f"{answer.url} {answer.headers} {answer.text()}"))
        route.fulfill(response=answer)

    desk.context.route(lambda url: "/static/" not in url, listen)
    page = desk.open(task)
    page.keyboard.press("g")
    expect(page.locator("#guidelines-body")).to_contain_text("Read everything.")
    page.keyboard.press("Escape")
    desk.choose(1, "Yes")
    desk.choose(2, "mostly")
    page.get_by_label("Why?").fill("Fine.")
    saved(page)
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    page.keyboard.press("u")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    page.goto(f"{desk.address}/")
    desk.context.unroute_all(behavior="wait")  # what is still read would fail in a later test
    kinds = {url.partition("?")[0].rstrip("/").rsplit("/", 1)[-1] for url, _ in sent}
    assert {"draft", "pulse", "submit", "undo", "guidelines"} <= kinds
    assert [(url, canary) for url, text in sent for canary in CANARIES if canary in url + text] == []
