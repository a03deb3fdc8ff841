"""docs/statistics.md as HTML, with the anchors that the catalogues of figures use."""

import re
from functools import cache
from pathlib import Path

import nh3
from django.conf import settings
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from annotation.studies.guideline_text import TAGS

SOURCE = Path(settings.BASE_DIR) / "docs" / "statistics.md"
HEADINGS = {"h1", "h2", "h3", "h4"}


def anchor(heading: str) -> str:
    """A heading as an anchor: lower-case letters and digits, joined by hyphens, without apostrophes."""
    plain = heading.lower().replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "")
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


@cache
def statistics_document() -> SafeString:
    """The document as HTML, read once per process."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(SOURCE.read_text(encoding="utf-8"))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(tokens[place + 1].content))
    html = parser.renderer.render(tokens, parser.options, {})
    return SafeString(
        nh3.clean(html, tags=TAGS | {"h1"}, attributes={"a": {"href"}} | {heading: {"id"} for heading in HEADINGS})
    )
