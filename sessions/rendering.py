"""Answers as they are read: text, or Markdown that can do no harm, with their citations as links.

`[2]` is the paper with the 0-based number 2 of the question's list. Text is what a template escapes; Markdown
passes twice, like guidelines: without raw markup, pictures and links (the only links are citations), then through
a cleaner with a short list of tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

CITATION = re.compile(r"\[(\d{1,3}(?:\s?[,;]\s?\d{1,3})*)\]")
NUMBER = re.compile(r"\d+")
TAGS = {
    "a", "blockquote", "br", "code", "em", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "span", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
BLOCKS = ("blockquote", "li", "p", "td", "th")
ATTRIBUTES = {"a": {"href", "class", "title", "data-paper"}, "span": {"class", "title"}, "ol": {"start"}}
HIGHEST_HEADING, DEEPEST_HEADING = 4, 6
PLAIN = "text"
"""The type of a token that holds nothing but words."""
UNKNOWN = "No paper of the list has this number."


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of an answer's text; a number in a citation has `paper`, and is `known` where the list has it."""

    text: str
    paper: int | None = None
    known: bool = True


def parts_of(text: str, papers: int) -> list[Part]:
    """`text` in parts: words, and the numbers of its citations; all texts together are `text`."""
    found, end = [], 0
    for citation in CITATION.finditer(text):
        for number in NUMBER.finditer(text, citation.start(), citation.end()):
            if number.start() > end:
                found.append(Part(text[end : number.start()]))
            named = int(number[0])
            found.append(Part(number[0], named, named < papers))
            end = number.end()
    if end < len(text):
        found.append(Part(text[end:]))
    return found


def cited(text: str) -> list[int]:
    """The numbers that `text` cites, each as often as it does, in their order."""
    return [part.paper for part in parts_of(text, 0) if part.paper is not None]


def unknown(text: str, papers: int) -> list[int]:
    """The numbers that `text` cites though no paper has them, each once."""
    return sorted({number for number in cited(text) if number >= papers})


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.disable(["image", "link", "autolink", "reference", "html_inline", "html_block"])


def as_markdown(text: str, papers: int) -> SafeString:
    """`text` (Markdown) as clean HTML; headings below those of the page, citations as links to `#paper-N`."""
    parser = _markdown()
    tokens = [_shown(token, papers) for token in parser.parse(text)]
    html = parser.renderer.render(tokens, parser.options, {})
    return SafeString(
        nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=set(), link_rel=None,
                  set_tag_attribute_values={tag: {"dir": "auto"} for tag in BLOCKS})
    )  # fmt: skip


def _shown(token: Token, papers: int) -> Token:
    if token.type in ("heading_open", "heading_close"):
        return token.copy(tag=f"h{min(int(token.tag[1]) + HIGHEST_HEADING - 1, DEEPEST_HEADING)}")
    if token.type == "inline" and token.children:
        return token.copy(children=list(chain.from_iterable(_linked(child, papers) for child in token.children)))
    return token


def _linked(token: Token, papers: int) -> Iterator[Token]:
    """A token of text as text and links."""
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


def _link(part: Part) -> tuple[str, dict[str, str | int | float]]:
    if part.known:
        return "a", {"href": f"#paper-{part.paper}", "class": "citation", "data-paper": str(part.paper)}
    return "span", {"class": "citation unknown", "title": UNKNOWN}
