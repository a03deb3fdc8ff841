"""Texts with formulas, long words, wide tables and code stay within their columns and as they were written."""

# ruff: noqa: F811 - the names of fixtures

import json

import pytest
from playwright.sync_api import Page, expect

from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Study
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from tests.browser.accessibility import findings
from tests.browser.test_sessions import LONG, address, written
from tests.fewer import first_cases
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401 - fixtures

WORD = "Ferry" * 60
ADDRESS = "https://ferries.example/" + "timetables/" * 60
SUM = " + ".join(rf"\frac{{x_{{{number}}}}}{{y_{{{number}}}}}" for number in range(40))
CELLS = "|".join(f" column {number} " for number in range(14))
TEXT = rf"""# Ferries

Let \(\alpha_1 \le \beta\) and $E = mc^2$; a ticket costs $5, two cost $10. {WORD}

\[
\mathcal{{L}} = -\sum_{{i=1}}^n y_i \log \hat y_i
- \lambda \lVert w \rVert_2^2
\]

$$
\begin{{align}}
a &= b \\
c &= \begin{{cases}} 1 & \text{{if }} x > 0 \\ 0 & \text{{otherwise}} \end{{cases}}
\end{{align}}
$$

In a line \({SUM}\) and alone:

\[ {SUM} \]

Not known: \(\KL(p \mid q)\), and a cut one: \(\alpha

- {ADDRESS}

|{CELLS}|
|{"-|" * 14}
|{CELLS}|
| {WORD} | \(x^2\) |

`{WORD}`

```
{"code " * 60}
{WORD}
```
"""
BOXES = ":is(.formatted, .prose) :is(.scroll-x, .formula.long), .reading.code"
WIDE = """boxes => {
  const wide = [], room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > room) wide.push(`page ${document.documentElement.scrollWidth}`);
  for (const node of document.querySelectorAll("main *, dialog[open] *")) {
    if (!node.checkVisibility() || node.closest("svg, .visually-hidden")) continue;
    const right = node.getBoundingClientRect().right, name = `${node.tagName}.${node.className}`;
    if (right > room + 1 && !node.parentElement.closest(boxes)) wide.push(`outside ${name} ${right}`);
    const scrolls = getComputedStyle(node).overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1;
    const isPane = node.matches("[data-scroll], .pane, .pane-scroll, .pair-brief, .reading, .dialog-body");
    if (scrolls && isPane && !node.closest(boxes)) wide.push(`scrolls ${name} ${node.scrollWidth}`);
  }
  return wide;
}"""
SIZES = [(390, 844), (1366, 768)]
THOROUGH = pytest.mark.thorough
PROTOCOLS = ["rating", "pairwise", "listwise"]


@pytest.fixture
def opened(db, tmp_path, rater, new_desk):
    """A function that opens the first task of a study in a protocol, text format and window."""

    def opened(protocol: str, text_format: str, width: int, height: int, document: str = TEXT) -> Page:
        body = {
            "slug": "wide",
            "title": "Wide",
            "protocol": protocol,
            "redundancy": 1,
            "guidelines": TEXT,
            "options": {"text_format": text_format},
            "questions": QUESTIONS[protocol],
        }
        (tmp_path / "study.json").write_text(json.dumps(body))
        outputs = [{"id": name, "text": f"{name}\n\n{TEXT}"} for name in ("north", "south")]
        line = {"id": "one", "document": document, "instruction": f"Say {WORD}", "outputs": outputs}
        (tmp_path / "items.jsonl").write_text(json.dumps(line))
        made = import_study(tmp_path).study
        while plan_chunk(made):
            pass
        add_member(made, rater, "annotator", None)
        Study.objects.update(status="live")
        made.refresh_from_db()
        desk = new_desk(rater, viewport={"width": width, "height": height})
        return desk.open(next_assignment(made, rater_for(made, rater)))

    return opened


QUESTIONS = {
    "rating": [{"key": "good", "type": "likert", "min": 1, "max": 3, "text": "How good?"}],
    "pairwise": [{"key": "better", "type": "preference", "text": "Which is better?"}],
    "listwise": [{"key": "overall", "type": "rank", "ranks": 2, "text": "Overall quality"}],
}


@pytest.mark.parametrize("size", first_cases([pytest.param(size) for size in SIZES]), ids=["phone", "desk"])
@pytest.mark.parametrize("text_format", ["markdown", *(pytest.param(one, marks=THOROUGH) for one in ("plain", "code"))])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_pane_is_wider_than_its_column(opened, protocol, text_format, size):
    page = opened(protocol, text_format, *size)
    assert page.evaluate(WIDE, BOXES) == []
    for tab in page.locator("[role=tab]:visible").all():
        tab.click()
        assert page.evaluate(WIDE, BOXES) == []
    page.locator("#guidelines-link").click()
    expect(page.locator("#guidelines-body math").first).to_be_visible()
    assert page.evaluate(WIDE, BOXES) == []


def test_formulas_are_typeset_and_their_source_is_the_stored_text(opened):
    page = opened("rating", "markdown", *SIZES[1])
    document = page.locator("#pane-document")
    expect(document.locator("math")).to_have_count(7)
    expect(document.locator("math").first).to_have_text(
        "\N{GREEK SMALL LETTER ALPHA}1\N{LESS-THAN OR EQUAL TO}\N{GREEK SMALL LETTER BETA}"
    )
    expect(document.locator("code.formula")).to_have_text(r"\(\KL(p \mid q)\)")
    expect(document.locator(".formatted")).to_contain_text("a ticket costs $5, two cost $10.")
    page.keyboard.press("q")
    expect(document.locator("[data-text=document]")).to_be_visible()
    assert document.locator("[data-text=document]").evaluate("node => node.textContent") == Item.objects.get().document


def test_axe_finds_nothing_in_formatted_texts(opened, axe):
    assert findings(opened("rating", "markdown", *SIZES[0]), axe) == []


@pytest.mark.parametrize("size", first_cases([pytest.param(size) for size in SIZES]), ids=["phone", "desk"])
@pytest.mark.parametrize("markdown", [True, pytest.param(False, marks=THOROUGH)])
def test_no_pane_of_a_session_is_wider_than_its_column(new_desk, rater, session, models, markdown, size):
    session.study.options |= {"markdown": markdown}
    session.study.save(update_fields=["options"])
    models.script = [TEXT, TEXT.replace("ticket", "ferry")]
    turned(session, f"Longer {WORD}.", "good")
    desk = new_desk(rater, viewport=dict(zip(("width", "height"), size, strict=True)))
    page = desk.page
    page.goto(desk.address + address(session))
    expect(page.locator("#instruction")).to_be_attached()
    assert page.evaluate(WIDE, BOXES) == []
    for tab in page.get_by_role("tab").all():
        if tab.is_visible():  # a pane hides the tabs of another
            tab.click()
            assert page.evaluate(WIDE, BOXES) == []


@pytest.mark.parametrize("text_format", ["plain", "markdown"])
def test_a_text_that_begins_with_a_foreign_word_is_set_in_its_own_direction(opened, text_format):
    page = opened("rating", text_format, *SIZES[1], document="GPT-4 نموذج جيد يكتب ملخصات قصيرة.\nBERT نموذج قديم.")
    shown = page.locator(f"#pane-document {'.formatted p' if text_format == 'markdown' else '[data-text=document]'}")
    assert shown.evaluate("node => getComputedStyle(node).direction") == "rtl"
    if text_format == "plain":  # the first letter of a line would set it from left to right
        assert shown.evaluate("node => getComputedStyle(node).unicodeBidi") == "isolate"


def test_an_answer_with_formulas_opens_on_its_first_change(desk, session, models):
    session.study.options |= {"markdown": True}
    session.study.save(update_fields=["options"])
    start = r"\(\frac{\alpha}{\beta}\) and " * 80 + f"so on.\n\n{LONG}"
    newer = start.replace("Sentence 0 of part 3", "Brand new words. Sentence 0 of part 3")
    models.script = [start, newer]
    turned(session, "Longer.", "good")
    page = desk.page
    page.goto(desk.address + address(session))
    page.evaluate("localStorage.setItem('session-view', 'text')")
    page.locator("#instruction").fill("Again.")
    page.locator("label", has_text="Only style").click()
    page.get_by_role("button", name="Send instruction").click()
    written(page)
    pane, changed = page.locator("[data-scroll=answer]"), page.locator(".answer-body p", has_text="Brand new words.")
    expect(changed).to_be_in_viewport()
    view = pane.bounding_box()
    assert view["y"] <= changed.bounding_box()["y"] <= view["y"] + view["height"] / 2
