"""docs/statistics.md as HTML, with the anchors that the catalogues of figures use."""

import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.safestring import SafeString

from annotation.formatting.markdown_text import clean, new_parser

SOURCE = Path(settings.BASE_DIR) / "docs" / "statistics.md"
HEADINGS = {"h1", "h2", "h3", "h4"}


def anchor(heading: str) -> str:
    """A heading as an anchor: lower-case letters and digits, joined by hyphens, without apostrophes."""
    plain = heading.lower().replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "")
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


@cache
def statistics_document() -> SafeString:
    """The document as HTML, read once per process."""
    parser = new_parser()
    tokens = parser.parse(SOURCE.read_text(encoding="utf-8"))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(tokens[place + 1].content))
    html = parser.renderer.render(tokens, parser.options, {})
    return clean(html, tags={"a", "h1"}, attributes={"a": {"href"}} | {heading: {"id"} for heading in HEADINGS})
