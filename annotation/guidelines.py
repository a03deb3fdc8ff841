"""Guidelines, from Markdown to markup that can do no harm.

What researchers write is shown to strangers, so it passes twice: Markdown without raw markup and pictures,
then a cleaner with our own short list of tags. No template language ever sees the text.
"""

from functools import cache

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
DEEPEST_HEADING = 6


@cache
def _markdown() -> MarkdownIt:
    # Pictures are off, so that nobody's address is told to another host by reading.
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def render(text: str) -> SafeString:
    """`text` (Markdown) as clean HTML; its headings one level down, under the page's own."""
    parser = _markdown()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, DEEPEST_HEADING)}"
    html = parser.renderer.render(tokens, parser.options, {})
    return SafeString(
        nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel="noopener noreferrer nofollow")
    )
