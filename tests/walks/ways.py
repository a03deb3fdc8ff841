"""What is done on the pages of each protocol, by either hand."""

from playwright.sync_api import expect

from annotation.models import Assignment
from sessions.models import RevisionSession
from tests.browser.test_pairwise import shown
from tests.browser.test_sessions import written
from tests.walks.hands import KeyboardHand, hold_and_drag
from tests.walks.walking import Walk

COMMENT = "The limit is kept; one name is wrong."
TURNS = [
    ("How long does it take until a tree gives shade?", 0, 1, "neutral"), ("Make it half as long.", 1, 0, "good"),
]  # fmt: skip
"""Instructions, the places of their kinds and ratings, and the ratings."""
REASON = "The first one says all that was asked for and nothing else, and the last one invents its numbers."


def rating(walk: Walk, tasks: int) -> None:
    page, hand = walk.page, walk.hand
    walk.on_desk()
    walk.see("task")
    hand.press(page.locator("#common"), "h")
    expect(page.locator("mark.common").first).to_be_attached()
    if isinstance(hand, KeyboardHand):
        hand.press(page.locator("[data-text=output]"), "w", "ArrowRight", "Enter", "Escape")
        expect(page.locator("#places")).to_contain_text("“")
    walk.see("highlighting")
    for number in range(tasks):
        follows, step = number % 2 == 0, 5 - number % 5
        hand.press(page.locator("#question-1 label").nth(number % 2), "y" if follows else "n")
        hand.press(page.locator("#question-2 label").nth(step - 1), str(step))
        answers = {"follows": follows, "how_well": step}
        if number == 0:
            hand.write(page.locator("#question-3 textarea"), COMMENT, "c")
            answers["comment"] = COMMENT
            walk.see("answered")
        walk.send(answers)


def listwise(walk: Walk, tasks: int) -> None:
    for number in range(tasks):
        task = walk.on_desk()
        keys = shown(task)
        rows = [1, 2, 2, 3, 4] if number else [3, 1, 2, 2, 4]
        if number == 0:
            walk.see("task")
        rank_all(walk, rows)
        if number == 0:
            walk.see("ranked")
        span = mark_errors(walk)
        if number == 0:
            walk.see("marked")
        write_reason(walk)
        if number == 0:
            walk.see("reason")
        ranks = dict(zip(keys, rows, strict=True))
        errors = {"spans": [{"output": keys[0], **span}], "none": keys[1:]}
        dimensions = ("overall", "missing", "irrelevant", "factual")
        walk.send(dict.fromkeys(dimensions, ranks) | {"errors": errors, "reason": REASON})


def dimension(walk: Walk, number: int) -> None:
    """Have a question on view."""
    tab = walk.page.locator(f"#dimension-{number}")
    while tab.get_attribute("aria-selected") != "true":
        walk.hand.press(tab, "]")


def rank_all(walk: Walk, rows: list[int]) -> None:
    page, hand = walk.page, walk.hand
    dimension(walk, 1)
    panel = page.locator("#panel-1")
    for letter, row in zip("ABCDE", rows, strict=True):
        hand.press(panel.locator(f"[data-chip={letter}]"), letter.lower())
        hand.press(panel.locator(f"[data-tier='{row}'] .tier-number"), str(row))
    expect(page.locator("#dimension-1")).to_contain_text("done")
    for number in (2, 3, 4):
        dimension(walk, number)
        hand.press(page.locator(f"#panel-{number}").get_by_role("button", name="Copy from"), "o")
        expect(page.locator(f"#dimension-{number}")).to_contain_text("done")


def mark_errors(walk: Walk) -> dict:
    """Mark the first two words of A in view, and say that the others have no error. Return the page's span."""
    page, hand = walk.page, walk.hand
    dimension(walk, 5)
    bar = page.locator("[data-span-bar]")
    if isinstance(hand, KeyboardHand):
        hand.press(page.locator("#card-A"), "a", "w", "Shift+ArrowRight", "1", "Escape")
    else:
        hold_and_drag(page, "A", 2)
        expect(bar).to_be_visible()
        hand.press(bar.get_by_role("button", name="contradicts"))
    expect(page.locator("[data-marked=A]")).to_contain_text("contradicts")
    for letter in "BCDE":
        free = page.locator(f"#panel-5 label:has([data-free={letter}])")
        hand.press(free, letter.lower(), "x")
    expect(page.locator("#dimension-5")).to_contain_text("done")
    text = page.locator("[data-text-of=A]").evaluate("node => node.textContent")
    entry = page.locator("[data-marked=A] .marked-entry")
    quoted, start = entry.inner_text().split("“")[1].split("”")[0], int(entry.get_attribute("data-start"))
    assert text[start:].startswith(quoted)
    return {"start": start, "end": start + len(quoted), "text": quoted, "label": "contradicts"}


def write_reason(walk: Walk) -> None:
    dimension(walk, 6)
    walk.hand.write(walk.page.locator("#panel-6 textarea"), REASON, "r")
    expect(walk.page.locator("#dimension-6")).to_contain_text("done")


def pairwise(walk: Walk, tasks: int) -> None:
    page, hand = walk.page, walk.hand
    walk.on_desk()
    walk.see("task")
    hand.press(page.locator("#checklist-button"), "k")
    expect(page.locator("#checklist")).to_be_visible()
    walk.see("checklist")
    close = page.get_by_role("button", name="Back to the task")
    hand.press(close if close.is_visible() else page.locator("#checklist-button"), "k")
    hand.press(page.locator("#differences"), "d")
    walk.see("differences")
    for number in range(tasks):
        keys = shown(walk.on_desk())
        side, arrow, value = (
            (1, "ArrowDown", "tie"), (0, "ArrowLeft", keys[0]), (2, "ArrowRight", keys[1]),
        )[number % 3]  # fmt: skip
        hand.press(page.locator("#question-1 label").nth(side), arrow)
        answers = {"better": value}
        if number == 0:
            hand.write(page.locator("#question-2 textarea"), COMMENT, "c")
            answers["reason"] = COMMENT
            walk.see("answered")
        walk.send(answers)


def session(walk: Walk, tasks: int) -> None:
    """One session: a turn for new facts, then a turn for another length, then the answer is sent."""
    page, hand = walk.page, walk.hand
    welcome(walk)
    expect(page.locator("#desk")).to_be_visible()
    if page.locator("#desk").get_attribute("data-due") == "writing":
        walk.see("first-answer")
        written(page)
    walk.see("session")
    key = page.locator("#desk").get_attribute("data-assignment")
    for number, (instruction, kind, face, _) in enumerate(TURNS[:tasks]):
        hand.write(page.locator("#instruction"), instruction, "i")
        hand.press(page.locator("fieldset.kind label").nth(kind), str(kind + 1))
        walk.on_desk()
        hand.press(page.locator("#submit"), "Enter")
        written(page)
        expect(page.locator(".faces")).to_be_visible()
        hand.press(page.get_by_role("tab", name="Changes"), "d")
        expect(page.locator("#answer-changes")).to_be_visible()
        hand.press(page.locator(".faces label").nth(face), str(face + 1))
        hand.write(page.locator("[name=q-comment]"), COMMENT, "c")
        if number == 0:
            walk.see("rating")
        walk.on_desk()
        hand.press(page.locator("#submit"), "Enter")
        expect(page.locator("#instruction")).to_be_visible()
    hand.press(page.locator("#ready"), "r")
    expect(page.locator("#not-yet")).to_be_visible()
    walk.see("send")
    hand.press(page.get_by_role("button", name="Send answer"), "Enter")
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()
    walk.see("sent")
    held = RevisionSession.objects.get(task=Assignment.objects.get(key=key).task_id)
    rows = held.turns.filter(number__gte=1, annotation__isnull=False).order_by("number")
    found = [(row.instruction, row.kind, row.annotation.answers) for row in rows]
    expected = [
        (text, ("information", "style")[kind], {"rating": rated, "comment": COMMENT})
        for text, kind, _, rated in TURNS[:tasks]
    ]
    for place, turn in enumerate(expected):
        walk.holds(found[place] if place < len(found) else None, turn)
    if held.status != "satisfied":
        walk.faults.append(f"the session is {held.status}")


def welcome(walk: Walk) -> None:
    expect(walk.page.get_by_role("heading", name="Before you start")).to_be_visible()
    walk.see("welcome")
    walk.hand.press(walk.page.get_by_role("button", name="start"))


def second_rating(walk: Walk) -> None:
    """Rate a turn of somebody else's session."""
    page, hand = walk.page, walk.hand
    welcome(walk)
    walk.on_desk()
    walk.see("second-rating")
    hand.press(page.locator("[data-show=changes]"), "d")
    expect(page.locator("[data-shown=changes]")).to_be_visible()
    hand.press(page.locator(".faces label, #question-1 label").nth(1), "2")
    hand.write(page.locator("#question-2 textarea"), COMMENT, "c")
    walk.see("second-rated")
    walk.send({"rating": "neutral", "comment": COMMENT})


WAYS = {"rating": rating, "listwise": listwise, "pairwise": pairwise, "session": session}
