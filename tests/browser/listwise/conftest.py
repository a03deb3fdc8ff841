"""A study of lists, its tasks, and what a hand does on its page."""

import json

import pytest
from playwright.sync_api import Page

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Assignment, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study

SYSTEMS = ("system-north", "system-south", "system-west", "system-east", "system-mid")
TEXTS = [
    "The ferry 🚢 sails at nine.",
    "The ferry 👩🏽‍✈️ sails at ten, and the cafe\u0301 opens at eight.",
    "The ferry 🚢 sails at nine.",
    "قال إن العبّارة تبحر في التاسعة.",
    "It does not sail.",
]
QUESTIONS = [
    {"key": "overall", "type": "rank", "ranks": 5, "text": "Overall quality"},
    {"key": "factual", "type": "rank", "ranks": 5, "text": "Factual consistency"},
    {"key": "errors", "type": "spans", "labels": ["wrong", "invented"], "text": "Errors of fact"},
    {"key": "reason", "type": "text", "min_words": 3, "text": "Reason"},
]


@pytest.fixture
def bring(db, tmp_path, rater):
    """A function that makes a live study of two items with these outputs, and gives the rater's first task."""

    def bring(texts=TEXTS, questions=QUESTIONS) -> Assignment:
        folder = tmp_path / "in"
        folder.mkdir()
        body = {"slug": "ranks", "title": "Ranks", "protocol": "listwise", "redundancy": 1, "guidelines": "Rank *all*."}
        (folder / "study.json").write_text(json.dumps(body | {"questions": questions}))
        outputs = [{"id": system, "text": text} for system, text in zip(SYSTEMS, texts, strict=False)]
        reference = [{"id": "CANARY", "text": "CANARY-TEXT", "writer": "human"}]
        lines = [
            {"id": f"key-{number}", "document": "The ferry sails at nine.", "instruction": "When does it sail?",
             "outputs": outputs, "references": reference}
            for number in range(2)
        ]  # fmt: skip
        (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        study = import_study(folder).study
        while plan_chunk(study):
            pass
        add_member(study, rater, "annotator", None)
        Study.objects.update(status="live")
        study.refresh_from_db()
        return next_assignment(study, rater_for(study, rater))

    return bring


def letter_of(task: Assignment, system: str) -> str:
    return "ABCDE"[task.order.index(SYSTEMS.index(system))]


def tab(page: Page, name: str):
    return page.get_by_role("tab", name=name)


def drag(page: Page, letter: str, target: str) -> None:
    """Drag a chip of the board on view onto what `target` finds there."""
    chip = page.locator(f"[data-panel]:visible [data-chip={letter}]").bounding_box()
    page.mouse.move(chip["x"] + 8, chip["y"] + 8)
    page.mouse.down()
    page.mouse.move(chip["x"] + 30, chip["y"] + 40, steps=3)
    box = page.locator(f"[data-panel]:visible {target}").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()


def rows(page: Page) -> list[str]:
    """The letters in each row of the board on view."""
    return page.locator("[data-panel]:visible [data-tier]").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('[data-chip]')].map((chip) => chip.textContent).join(''))"
    )


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def word_box(page: Page, letter: str, word: str) -> dict:
    return page.evaluate(
        """([letter, word]) => {
            const node = document.querySelector(`[data-text-of="${letter}"]`);
            const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
            for (let text = walker.nextNode(); text; text = walker.nextNode()) {
                const at = text.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(text, at + word.length);
                node.scrollIntoView({ block: "center" });
                const { left, right, top, bottom } = range.getBoundingClientRect();
                return { left, right, x: (left + right) / 2, y: (top + bottom) / 2 };
            }
        }""",
        [letter, word],
    )
