"""What a word is: the scripts of the pages and the server find the same ones, in all scripts of the world."""

from random import Random

from agreement.text_lengths import count_words
from sessions.comparing.word_pieces import PIECE
from tests.browser.listwise.conftest import bring, letter_of, press  # noqa: F401 - a fixture
from tests.browser.test_pairwise import first, pair_study  # noqa: F401 - fixtures

# ruff: noqa: F811 - the names of fixtures

PARTS = [
    "a",
    "Zebra",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u0301",
    "👩🏽‍✈️",
    "🚢",
    "🇳🇴🇩🇪",
    "\U0001d518",
    "العبّارة",
    "שלום",
    "\u200d",
    "\u200c",
    "\u200b",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x1c",
    "日本",
    "今天",
    "。",
    "\uff0c",
    "\uff08",
    "ก็",
    "ที่",
    "한국어",
    "ー",
    "・",
    "नमस्ते",
    "'",
    "\u2019",
    "-",
    "--",
    "2,300.50",
    "٣\u066b\u0665",
    "_",
    ".",
    "?!",
    "…",
    "\xa0",
    "½",
    "\uffff",
    "x_y",
]
ASK = """async ([address, texts]) => {
    const { pieces, countWords } = await import(`${address}/static/js/desk/words.js`);
    return texts.map((text) => [pieces(text).map((piece) => piece.text), countWords(text)]);
}"""
WEATHER = "今天天气很好\uff0c我们坐船去岛上。"
STORM = "今天天气不好\uff0c我们坐车去岛上。"


def made(count: int) -> list[str]:
    random = Random(39)
    return ["".join(random.choice(PARTS) for _ in range(random.randint(1, 25))) for _ in range(count)]


def test_scripts_and_server_find_and_count_the_same_words(new_desk):
    desk = new_desk()
    desk.page.goto(f"{desk.address}/sign-in/")
    texts = [*PARTS, WEATHER, *made(2000)]
    expected = [([piece for piece in PIECE.findall(text) if not piece.isspace()], count_words(text)) for text in texts]
    found = desk.page.evaluate(ASK, [desk.address, texts])
    wrong = [
        (text, given, wanted)
        for text, given, wanted in zip(texts, found, expected, strict=True)
        if tuple(given) != wanted
    ]
    assert wrong == []


def marks(page, where: str, kind: str) -> list[str]:
    return page.locator(f"{where} mark.{kind}").all_inner_texts()


def test_of_two_chinese_sentences_the_characters_that_differ_are_marked_in_a_pair(desk, pair_study, first):
    page = desk.open(first(pair_study((WEATHER, STORM))))
    page.get_by_role("button", name="Differences").click()
    assert sorted([marks(page, "[data-text=output-A]", "differs"), marks(page, "[data-text=output-B]", "differs")]) == [
        ["不", "车"],
        ["很", "船"],
    ]


def test_in_a_list_too_and_a_span_takes_the_characters_that_were_chosen(new_desk, rater, bring):
    task = bring([WEATHER, STORM, "Nine.", "Ten.", "Eleven."])
    page = new_desk(rater).open(task)
    north, south = letter_of(task, "system-north"), letter_of(task, "system-south")
    press(page, north.lower(), "v", south.lower(), "v")
    assert marks(page, f"[data-text-of={north}]", "difference") == ["很", "船"]
    assert marks(page, f"[data-text-of={south}]", "difference") == ["不", "车"]
    press(page, "]", "]", north.lower(), "w", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "1", "Escape")
    assert marks(page, f"[data-text-of={north}]", "span") == ["天气"]


def test_the_words_of_a_chinese_reason_are_counted_as_the_server_counts_them(new_desk, rater, bring):
    page = new_desk(rater).open(bring())
    press(page, "r")
    page.get_by_role("textbox", name="Reason").fill("九点是对的。")
    assert page.locator(".word-count").inner_text() == "5 words"
