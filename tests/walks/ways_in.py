"""The ways into studies made from templates: from the invitation through all steps to the end of the first tasks."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, expect

from annotation.members.invitations import invite
from annotation.models import Annotation, Study
from annotation.review.spot_checks import check
from annotation.studies.batches import release_next
from annotation.studies.lifecycle import make_live, prepare
from config.background.claiming import run_waiting
from files.reading import import_study
from managing.building.template_library import study_templates
from tests.browser.conftest import Desk, saved
from tests.browser.test_pairwise import shown
from tests.browser.test_sessions import written
from tests.house import ROOT
from tests.parts.way_in.way_in_study import with_own_words
from tests.walks.hands import KeyboardHand
from tests.walks.walking import Walk
from tests.walks.ways import COMMENT, mark_errors, rank_all, write_reason

BETTER = ("ArrowLeft", "ArrowRight")
INSTRUCTION = "Make it half as long."
NOTE = "The words that you marked are in the article. Please look again at the second paragraph."
FEEDBACK = "The first summary says when, why and for whom, and nothing else. The last one invents a number."


def study_of(template: str, name: str, folder: Path, owner: Any, **options: Any) -> Study:
    """Make a live study from a template with texts of the demo."""
    made = folder / name
    made.mkdir()
    body = {**with_own_words(study_templates()[template].body), "slug": name, "title": TITLES[template]}
    body["options"] = {**body.get("options", {}), **options}
    (made / "study.json").write_text(json.dumps(body), encoding="utf-8")
    lines = LINES[template]()
    (made / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    study = import_study(made, owner=owner).study
    while not prepare(study, 10):
        pass
    run_waiting()
    make_live(study, None)
    return study


def demo_items(protocol: str) -> list[dict[str, Any]]:
    text = (ROOT / "demo" / protocol / "items.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def lists() -> list[dict[str, Any]]:
    """Two items to rank, two to practise on, and six to qualify with; equal texts have equal ranks."""
    pools = ["main"] * 2 + ["training"] * 2 + ["qualification"] * 6
    lines, items = [], demo_items("listwise")
    for number, pool in enumerate(pools):
        item = {**items[number % len(items)], "id": f"{pool}-{number}", "pool": pool}
        if pool != "main":
            ranks = best_first(item)
            item["gold"] = dict.fromkeys(("overall", "missing", "irrelevant", "factual"), ranks)
        lines.append(item | ({"feedback": FEEDBACK} if pool == "training" else {}))
    return lines


def best_first(item: dict[str, Any]) -> dict[str, int]:
    """Ranks in the order of the file."""
    texts = list(dict.fromkeys(one["text"] for one in item["outputs"]))
    return {one["id"]: texts.index(one["text"]) + 1 for one in item["outputs"]}


def pairs() -> list[dict[str, Any]]:
    """Two pairs to judge, and ten in which the second output of the demo is the worse one."""
    lines, items = [], demo_items("pairwise")
    for number in range(12):
        item, first = items[number % len(items)], number // len(items) % 2
        outputs = item["outputs"][first : first + 2]
        line = {**item, "id": f"pair-{number}", "outputs": outputs}
        lines.append(line if number < 2 else line | {"pool": "qualification", "gold": {"better": outputs[first]["id"]}})
    return lines


TITLES = {
    "instrusum_recruiting": "Which summary meets the requirement?", "href_recruiting": "Which answer is better?",
    "kiwi_recruiting": "Street trees: write an answer with a model",
}  # fmt: skip
LINES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "instrusum_recruiting": lists, "href_recruiting": pairs, "kiwi_recruiting": lambda: demo_items("session"),
}  # fmt: skip


def button(walk: Walk, name: str) -> Locator:
    return walk.page.get_by_role("button", name=name)


def join(walk: Walk, study: Study, owner: Any) -> None:
    """Open the invitation, make an account and agree to the study."""
    page, hand = walk.page, walk.hand
    page.goto(f"{walk.desk.address}{invite(study, 'annotator', owner, count=1)[0]}")
    walk.see("invitation")
    hand.write(page.get_by_label("User name"), walk.name)
    hand.write(page.get_by_label("Password"), f"{walk.name} has a long password")
    hand.press(button(walk, "Join the study"))
    expect(page.get_by_role("link", name="Continue")).to_be_visible()
    walk.see("home-before-steps")
    hand.press(page.get_by_role("link", name="Continue"))
    expect(button(walk, "I agree")).to_be_visible()
    walk.see("consent")
    hand.press(button(walk, "I agree"))
    expect(page.get_by_role("alert").first).to_be_visible()
    expect(page.get_by_label("I have read this")).to_be_focused()
    walk.see("consent-not-given")
    tick(walk, page.get_by_label("I have read this"))
    hand.press(button(walk, "I agree"))


def tick(walk: Walk, box: Locator) -> None:
    if isinstance(walk.hand, KeyboardHand):
        walk.hand.reach(box)
        walk.page.keyboard.press("Space")
    else:
        walk.hand.press(box)


def choose(walk: Walk, question: str, answer: str) -> None:
    """Choose one of several answers."""
    options = walk.page.get_by_role("group", name=question).get_by_role("radio")
    chosen = walk.page.get_by_role("group", name=question).get_by_label(answer, exact=True)
    if isinstance(walk.hand, KeyboardHand):
        walk.hand.reach(options.first)
        walk.page.keyboard.press("Space")
        while not chosen.is_checked():
            walk.page.keyboard.press("ArrowDown")
    else:
        walk.hand.press(chosen)


def begin_step(walk: Walk, title: str, start: str = "Start") -> None:
    expect(walk.page.get_by_role("heading", name=title)).to_be_visible()
    walk.see("step")
    walk.hand.press(button(walk, start))


def on_practice(walk: Walk, number: int, count: int) -> None:
    """Wait for a practice task and its script."""
    expect(walk.page.get_by_text(f"{number} of {count}").first).to_be_visible()
    expect(walk.page.locator("[aria-keyshortcuts]").first).to_be_attached()
    if number == 1:
        walk.see("practice")


def submit(walk: Walk) -> None:
    """Submit the task on the desk, and wait until another page is shown."""
    saved(walk.page)
    with walk.page.expect_navigation():
        walk.hand.press(walk.page.locator("#submit"), "Enter")


def shown_texts(walk: Walk) -> list[str]:
    """The texts in the order of their letters."""
    return walk.page.locator("[data-text-of]").evaluate_all("all => all.map((one) => one.textContent.trim())")


def rank(walk: Walk, ranked: bool) -> None:
    """Rank as in the file or the other way round, mark an error, and give a reason."""
    ranks = {one["text"].strip(): best_first(item)[one["id"]] for item in demo_items("listwise")
             for one in item["outputs"]}  # fmt: skip
    rows = [ranks[text] for text in shown_texts(walk)]
    rank_all(walk, rows if ranked else [6 - row for row in rows])
    mark_errors(walk)
    write_reason(walk)


def instrusum(walk: Walk, study: Study, owner: Any) -> None:
    """Consent, two examples, two rounds of qualification, and a batch."""
    join(walk, study, owner)
    begin_step(walk, "Training", "Start the training")
    for number in (1, 2):
        on_practice(walk, number, 2)
        rank(walk, ranked=number == 1)
        walk.see("practice-answered")
        submit(walk)
        expect(walk.page.get_by_role("heading", name="The right answer")).to_be_visible()
        walk.see("why")
        walk.hand.press(button(walk, "Finish the training" if number == 2 else "Next"))
    for title in ("round 1", "round 2"):
        expect(walk.page.get_by_text("You have passed this part.")).to_have_count(int(title == "round 2"))
        begin_step(walk, title)
        for number in (1, 2, 3):
            on_practice(walk, number, 3)
            rank(walk, ranked=True)
            submit(walk)
    start(walk)
    for _ in range(study.options["batch_size"]):
        rank(walk, ranked=True)
        submit(walk)
    expect(walk.page.get_by_role("heading", name="This batch is done")).to_be_visible()
    walk.see("batch-done")
    release_with_note(study, owner)
    walk.hand.press(walk.page.get_by_role("link", name="My studies"))
    expect(walk.page.get_by_role("link", name="1 note on your answers")).to_be_visible()
    walk.see("home-with-note")
    walk.hand.press(walk.page.get_by_role("link", name="1 note on your answers"))
    expect(walk.page.get_by_text(NOTE)).to_be_visible()
    walk.see("note")
    walk.hand.press(button(walk, "I have read"))
    walk.hand.press(button(walk, "Continue"))
    walk.on_desk()
    walk.see("next-batch")


def release_with_note(study: Study, owner: Any) -> None:
    """Check the answers of the first batch with a note on each, and release the next one."""
    for answer in Annotation.objects.filter(rater__study=study, status="submitted", is_current=True):
        check(answer, "problem", NOTE, owner, number=0)
    release_next(study, owner, unfinished=[])


def start(walk: Walk) -> None:
    """From the home page through the guidelines."""
    expect(walk.page.get_by_text("You have passed all steps.")).to_be_visible()
    walk.see("home-after-steps")
    walk.hand.press(walk.page.get_by_role("link", name="Start"))
    expect(button(walk, "I have read the guidelines")).to_be_visible()
    walk.see("guidelines")
    walk.hand.press(button(walk, "I have read the guidelines"))
    walk.on_desk()
    walk.see("first-task")


def href(walk: Walk, study: Study, owner: Any, wrong: Sequence[int] = (4,)) -> None:
    """Consent, screens, ten pairs, and two tasks."""
    join(walk, study, owner)
    expect(walk.page.get_by_text("Is English your native language?")).to_be_visible()
    walk.see("screen")
    walk.hand.press(button(walk, "Continue"))
    expect(walk.page.get_by_role("alert").first).to_be_visible()
    expect(walk.page.get_by_role("radio").first).to_be_focused()
    walk.see("screen-empty")
    choose(walk, "native language", "yes")
    choose(walk, "Where do you live", "Canada")
    choose(walk, "highest degree", "Master's")
    walk.hand.press(button(walk, "Continue"))
    begin_step(walk, "Qualification")
    worse = {item["outputs"][1]["text"].strip() for item in demo_items("pairwise")}
    for number in range(1, 11):
        on_practice(walk, number, 10)
        texts = walk.page.locator("[data-text^=output]").evaluate_all("all => all.map((one) => one.textContent.trim())")
        side = int(texts[0] in worse) ^ (number in wrong)
        walk.hand.press(walk.page.locator("#question-1 label").nth(2 * side), BETTER[side])
        submit(walk)
    start(walk)
    for _ in range(2):
        task = walk.on_desk()
        walk.hand.press(walk.page.locator("#question-1 label").first, BETTER[0])
        walk.send({"better": shown(task)[0]})
    walk.end()


def kiwi(walk: Walk, study: Study, owner: Any, office: Desk) -> None:
    """Consent, a screen, a questionnaire, and the paid pilot of one session; a researcher decides; another session."""
    page, hand = walk.page, walk.hand
    join(walk, study, owner)
    expect(page.get_by_text("For how many years")).to_be_visible()
    walk.see("screen")
    hand.write(page.get_by_label("For how many years"), "3")
    hand.press(button(walk, "Continue"))
    expect(page.get_by_text("What is your highest degree")).to_be_visible()
    walk.see("questionnaire")
    hand.press(button(walk, "Continue"))
    begin_step(walk, "Paid pilot")
    for number, place in enumerate(("guidelines", "welcome")):
        found = button(walk, ("I have read the guidelines", "Save and start")[number])
        expect(found).to_be_visible()
        walk.see(place)
        hand.press(found)
    one_session(walk)
    walk.see("pilot-sent")
    hand.press(button(walk, "Continue"))
    expect(page.get_by_role("heading", name="Thank you: all done for now")).to_be_visible()
    walk.see("waiting")
    hand.press(page.get_by_role("link", name="My studies").last)
    expect(page.get_by_text("Their decision appears here.")).to_be_visible()
    walk.see("home-waiting")
    decide(walk, study, office)
    page.reload()
    expect(page.get_by_text("The researchers have chosen you.")).to_be_visible()
    walk.see("home-chosen")
    hand.press(button(walk, "Continue"))
    one_session(walk)
    walk.see("sent")


def decide(walk: Walk, study: Study, office: Desk) -> None:
    """As a researcher: let the person who waits continue."""
    office.page.goto(f"{office.address}/studies/{study.slug}/funnel/")
    expect(office.page.get_by_role("heading", name="Waiting for your decision")).to_be_visible()
    annotator, walk.desk = walk.desk, office
    walk.see("funnel")
    walk.desk = annotator
    office.page.get_by_role("combobox").select_option("Continues")
    office.page.get_by_role("button", name="Save decisions").click()
    expect(office.page.get_by_text("Saved for 1 person")).to_be_visible()


def one_session(walk: Walk) -> None:
    """A turn, and the answer is sent."""
    page, hand = walk.page, walk.hand
    expect(page.locator("#desk")).to_be_visible()
    if page.locator("#desk").get_attribute("data-due") == "writing":
        walk.see("writing")
        written(page)
    walk.see("session")
    hand.write(page.locator("#instruction"), INSTRUCTION, "i")
    hand.press(page.locator("fieldset.kind label").nth(1), "2")
    saved(page)
    hand.press(page.locator("#submit"), "Enter")
    written(page)
    expect(page.locator(".faces")).to_be_visible()
    hand.press(page.locator(".faces label").first, "1")
    hand.write(page.locator("[name=q-comment]"), COMMENT, "c")
    saved(page)
    walk.see("rated")
    hand.press(page.locator("#submit"), "Enter")
    expect(page.locator("#instruction")).to_be_visible()
    hand.press(page.locator("#ready"), "r")
    expect(page.locator("#not-yet")).to_be_visible()
    hand.press(button(walk, "Send answer"), "Enter")
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()
