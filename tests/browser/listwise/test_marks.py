"""Marked errors are the same characters in the browser and in Python."""

from random import Random

from playwright.sync_api import expect

from annotation.answers import Sheet
from annotation.questions import question_types
from tests.browser.conftest import answers_to, moved_on, saved
from tests.browser.listwise.conftest import press, word_box

PIECES = [
    "a", "Zebra", " ", "  ", "\n", "\r\n", "\r", "\t", "é", "e\u0301", "a\u0308\u0323", "👩🏽‍✈️", "🚢", "🇳🇴",
    "\U0001d518", "\U0001f9d1\U0001f3fd", "العبّارة", "שלום", "\u202b", "\u202c", "\u200d", "\u200b", "\ufeff",
    "\u2028", "\x85", "日本", "ก็", "\uffff", "<b>", "&amp;", ".", "\xa0",
]  # fmt: skip


def selections(count: int) -> list[tuple[str, int, int]]:
    random = Random(22)
    made = []
    while len(made) < count:
        text = "".join(random.choice(PIECES) for _ in range(random.randint(1, 30)))
        start = random.randrange(len(text))
        made.append((text, start, random.randint(start + 1, len(text))))
    return made


SELECT = """async ([address, cases]) => {
    const { paint, passage, units } = await import(`${address}/static/js/listwise/points.js`);
    const { selectedIn } = await import(`${address}/static/js/desk/selection.js`);
    const node = document.createElement("div");
    node.className = "plain-text";
    document.body.append(node);
    const place = (unit) => {
        const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        for (let text = walker.nextNode(); text; text = walker.nextNode()) {
            if (unit <= text.length) return [text, unit];
            unit -= text.length;
        }
    };
    return cases.map(([text, start, end], number) => {
        const third = Math.floor(text.length / 3);
        const marks = number % 2 ? [{ start: third, end: 2 * third + 1, kind: "span" }] : [];
        paint(node, text, marks.filter((mark) => !/[\\ud800-\\udfff]/.test(text[mark.start] + text[mark.end])));
        const points = Array.from(text);
        const unit = (point) => points.slice(0, point).join("").length;
        if (units(text, start) !== unit(start)) return "units";
        document.getSelection().setBaseAndExtent(...place(unit(start)), ...place(unit(end)));
        const part = selectedIn({ node, text: text });
        return part && passage(text, ...part);
    });
}"""


def test_a_thousand_random_strings_give_the_same_spans_in_browser_and_python(new_desk, rater, bring):
    desk = new_desk(rater)
    page = desk.open(bring())
    cases = selections(1000)
    spans = page.evaluate(SELECT, [desk.address, cases])
    kind = question_types()["spans"]
    blank = 0
    for (text, start, end), span in zip(cases, spans, strict=True):
        if span is None:
            blank += 1
            assert text[start:end].replace("\ufeff", "").strip() == "", repr(text[start:end])
            continue
        assert start <= span["start"] < span["end"] <= end
        assert text[span["start"] : span["end"]] == span["text"]
        left_out = text[start : span["start"]] + text[span["end"] : end]
        assert left_out.replace("\ufeff", "").strip() == ""
        value = {"spans": [{"output": "one", **span}], "none": []}
        kind.check(value, {})
        kind.check_shown(value, {}, Sheet.of(["one"], [text]))
    assert blank < 300


def test_texts_with_other_line_ends_are_marked_where_they_are_stored(new_desk, rater, bring):
    texts = ["One\r\ntwo\rthree 🚢 four", "Five\r\n\r\nsix"]
    task = bring(texts, [{"key": "overall", "type": "rank", "ranks": 2}, {"key": "errors", "type": "spans"}])
    page = new_desk(rater).open(task)
    press(page, *"a1b2")
    letter = "AB"[task.order.index(0)]
    box = word_box(page, letter, "four")
    page.mouse.dblclick(box["x"], box["y"])
    page.locator("[data-span-bar]").get_by_role("button", name="Mark").click()
    press(page, "Escape", "B" if letter == "A" else "A", "x", "Enter")
    moved_on(page, task)
    [span] = answers_to(task)[0]["answers"]["errors"]["spans"]
    assert (span["start"], span["text"]) == (texts[0].index("four"), "four")


def test_hostile_texts_stay_texts(new_desk, rater, bring):
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script></textarea>{{ 7*7 }}"
    questions = [
        {"key": "overall", "type": "rank", "ranks": 5, "text": hostile, "help": hostile},
        {"key": "errors", "type": "spans", "labels": [hostile], "text": hostile},
        {"key": "factual", "type": "rank", "ranks": 5, "text": "Factual"},
    ]
    page = new_desk(rater).open(bring([hostile, f"{hostile} more"], questions))
    press(page, *"a1b1", "a", "w", "1", "Enter", "Escape", "a", "v", "b", "v", "]", "o")
    assert page.locator("img, iframe").count() == 0
    expect(page.locator("#card-A .card-text")).to_contain_text("<img src=x")
    saved(page)
