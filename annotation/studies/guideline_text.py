"""Guidelines as safe HTML from Markdown.

Researchers' texts are shown to strangers, so they pass two filters: Markdown without raw HTML and images, then a
cleaner with our own list of tags. No template language ever reads the text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.formatting.formula_rules import FORMULA
from annotation.formatting.markdown_text import clean, new_parser

SCHEMES = {"http", "https", "mailto"}
DEEPEST_HEADING = 6


@cache
def _markdown() -> MarkdownIt:
    return new_parser()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of guidelines: the text of its heading, and clean HTML of its content."""

    title: str
    html: SafeString


def render(text: str) -> SafeString:
    """`text` (Markdown) as clean HTML, with headings one level down, below the page's own."""
    return _html(_markdown().parse(text))


@lru_cache(maxsize=64)
def sections(text: str) -> tuple[Section, ...]:
    """The parts of guidelines (Markdown) in order, one per heading, each up to the next heading of the same level."""
    tokens = _markdown().parse(text)
    heads = [place for place, token in enumerate(tokens) if token.type == "heading_open" and token.level == 0]
    found = []
    for number, place in enumerate(heads):
        ends = (later for later in heads[number + 1 :] if tokens[later].tag <= tokens[place].tag)
        body = tokens[place + 3 : next(ends, len(tokens))]
        found.append(Section(_plain(tokens[place + 1]), _html(body)))
    return tuple(found)


def sections_on(text: str, subject: str) -> list[Section]:
    """The parts of guidelines whose headings begin with `subject` in upper or lower case ("Example 2: a poem")."""
    return [one for one in sections(text) if one.title.casefold().startswith(subject.casefold())]


def _plain(heading: Token) -> str:
    """The text of a heading without its markup."""
    return "".join(part.content for part in heading.children or [] if part.type in ("text", "code_inline", FORMULA))


def _html(tokens: Sequence[Token]) -> SafeString:
    parser = _markdown()
    lowered = [_lowered(token) if token.type in ("heading_open", "heading_close") else token for token in tokens]
    html = parser.renderer.render(lowered, parser.options, {})
    links = {"a": {"href", "title"}}
    return clean(html, tags=links, attributes=links, url_schemes=SCHEMES, link_rel="noopener noreferrer nofollow")


def _lowered(heading: Token) -> Token:
    return heading.copy(tag=f"h{min(int(heading.tag[1]) + 1, DEEPEST_HEADING)}")
