"""Renders answers for pages: plain text, or sanitised Markdown, with citations as links.

`[2]` cites the paper with the 0-based number 2 of the question's list. Templates escape plain text. Markdown is
cleaned twice, like guidelines: the parser leaves out raw markup, pictures and links (the only links are citations),
and its result passes a cleaner with a list of tags. The work is bounded for all texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.formatting.markdown_text import clean, new_parser
from llm.citations import cited_numbers, cited_places

ATTRIBUTES = {"a": {"href", "title", "data-paper"}, "span": {"title"}}
CLASSES = {"a": {"citation"}, "span": {"citation", "unknown"}}
HIGHEST_HEADING, DEEPEST_HEADING = 4, 6
PLAIN = "text"
"""The type of a token that contains only words."""
UNKNOWN = "No paper of this question has this number."
MOST_LINKS = 1_000
"""The most cited numbers that become links; the others stay plain text."""
MARKUP = re.compile(r"[\n*_\[\]<>&|#`\\]")
MOST_MARKUP = 5_000
"""Markdown with more marks that may make an element, or more cells of tables, is not formatted."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A piece of an answer's text. A number in a citation has `paper`, and is `known` if the question has it."""

    text: str
    paper: int | None = None
    known: bool = True


@dataclass(frozen=True, slots=True)
class RenderedAnswer:
    """An answer for a page: in parts, or as `html` if the study's answers are formatted."""

    text: str
    parts: Sequence[AnswerPart]
    html: SafeString | None
    unknown: Sequence[int]
    """The cited numbers that no paper has."""
    is_too_complex: bool = False
    """Whether it has too much markup to be formatted."""


def render_answer(text: str, papers: int, markdown: bool = False) -> RenderedAnswer:
    """Render the answer `text` to a question with so many papers."""
    is_too_complex = markdown and _amount_of_markup(text) > MOST_MARKUP
    html = as_markdown(text, papers) if markdown and not is_too_complex else None
    parts = () if html is not None else parts_of(text, papers)
    return RenderedAnswer(text, parts, html, unknown(text, papers), is_too_complex)


def parts_of(text: str, papers: int) -> list[AnswerPart]:
    """Split `text` into words and the numbers of its citations; joined, the parts' texts are `text`."""
    found, end = [], 0
    for number in islice(cited_places(text), MOST_LINKS):
        if number.start() > end:
            found.append(AnswerPart(text[end : number.start()]))
        paper = int(number[0])
        found.append(AnswerPart(number[0], paper, paper < papers))
        end = number.end()
    if end < len(text):
        found.append(AnswerPart(text[end:]))
    return found


def unknown(text: str, papers: int) -> list[int]:
    """Return the numbers that `text` cites and no paper has, each once."""
    return sorted({number for number in cited_numbers(text) if number >= papers})


def _amount_of_markup(text: str) -> int:
    lines = text.split("\n")
    cells = len(lines) * max(line.count("|") for line in lines)
    return len(MARKUP.findall(text)) + cells


@cache
def _markdown() -> MarkdownIt:
    return new_parser(without=["link", "autolink", "reference", "html_inline", "html_block"])


def as_markdown(text: str, papers: int) -> SafeString:
    """Render `text` (Markdown) as clean HTML with headings below the page's and citations as links to `#paper-N`."""
    parser = _markdown()
    tokens = [_shown(token, papers) for token in parser.parse(text)]
    html = parser.renderer.render(tokens, parser.options, {})
    return clean(html, tags={"a"}, attributes=ATTRIBUTES, classes=CLASSES, url_schemes=set(), link_rel=None)


def _shown(token: Token, papers: int) -> Token:
    if token.type in ("heading_open", "heading_close"):
        return token.copy(tag=f"h{min(int(token.tag[1]) + HIGHEST_HEADING - 1, DEEPEST_HEADING)}")
    if token.type == "inline" and token.children:
        return token.copy(children=list(chain.from_iterable(_linked(child, papers) for child in token.children)))
    return token


def _linked(token: Token, papers: int) -> Iterator[Token]:
    """Split a token of text into text and links."""
    if token.type != PLAIN:
        yield token
        return
    for part in parts_of(token.content, papers):
        words = Token(PLAIN, "", 0, content=part.text)
        if part.paper is None:
            yield words
            continue
        tag, attributes = _link(part)
        yield Token(f"{tag}_open", tag, 1, attrs=attributes)
        yield words
        yield Token(f"{tag}_close", tag, -1)


def _link(part: AnswerPart) -> tuple[str, dict[str, str | int | float]]:
    if part.known:
        return "a", {"href": f"#paper-{part.paper}", "class": "citation", "data-paper": str(part.paper)}
    return "span", {"class": "citation unknown", "title": UNKNOWN}
