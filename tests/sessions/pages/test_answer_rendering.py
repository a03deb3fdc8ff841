import re

import pytest

from llm.citations import cited_numbers
from sessions.pages.answer_rendering import MOST_LINKS, as_markdown, parts_of, render_answer, unknown

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](https://canary.example/x.png)",
    "[x](javascript:alert(1))",
    "[x](https://canary.example/)",
    "<https://canary.example/>",
    "<iframe src=//x></iframe>",
    "[0](https://canary.example/)",
    "[0]\n\n[0]: https://canary.example/x 'title'",
    "<form action=//x><input>",
    "<a href='#paper-0' onclick=alert(1)>x</a>",
    "<style>*{display:none}</style>",
    "```html\n<script>alert(1)</script>\n```",
]


def test_numbers_in_brackets_become_citations_and_the_text_stays_the_same():
    text = "It sails [0], and not [1, 12] in [winter] [3]."
    parts = parts_of(text, 4)
    assert "".join(part.text for part in parts) == text
    assert [(part.paper, part.known) for part in parts if part.paper is not None] == [
        (0, True), (1, True), (12, False), (3, True),
    ]  # fmt: skip
    assert (cited_numbers("[1][1] [0]"), unknown("[9] [9, 1] [8]", 2)) == ([1, 1, 0], [8, 9])


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_gives_no_address_picture_or_script(text):
    html = str(as_markdown(text, 2))
    tags = set(re.findall(r"<([a-z0-9]+)", html))
    assert tags <= {"p", "a", "code", "div", "pre", "strong", "em", "span", "ul", "li", "ol"}, html
    assert all(target.startswith("#paper-") for target in re.findall(r'href="([^"]*)"', html)), html
    assert not re.search(r"<[^>]*\son", html)


def test_markdown_keeps_its_form_and_links_its_citations():
    html = str(as_markdown("# On ferries\n\n- **late** [1]\n- `[1]` [7]", 2))
    assert "<h4" in html
    assert "<strong>late</strong>" in html
    assert "<code>[1]</code>" in html
    assert 'href="#paper-1"' in html
    assert html.count("citation") == 2
    assert "unknown" in html


def test_an_answer_of_nothing_but_citations_gets_a_bounded_number_of_links():
    text = "[0]" * 60_000
    parts = parts_of(text, 1)
    assert sum(part.paper is not None for part in parts) == MOST_LINKS
    assert "".join(part.text for part in parts) == text
    assert len(cited_numbers(text)) == 60_000


@pytest.mark.parametrize(
    "text",
    ["- a\n" * 6_000, "[0]" * 5_000, "a*" * 10_000, "|a" * 200 + "\n" + "|-" * 200 + "\n" + "b\n" * 200],
    ids=["list", "citations", "emphasis", "table that is filled up"],
)
def test_markdown_with_very_much_markup_is_shown_as_plain_text(text):
    shown = render_answer(text, 1, markdown=True)
    assert shown.is_too_complex
    assert shown.html is None
    assert "".join(part.text for part in shown.parts) == text


def test_long_markdown_with_ordinary_markup_is_formatted():
    shown = render_answer("# Ferries\n\n" + "They *sail* at nine [0]. " * 800, 1, markdown=True)
    assert not shown.is_too_complex
    assert "<em>sail</em>" in shown.html
