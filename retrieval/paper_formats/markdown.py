"""Reads a paper from Markdown: each heading, paragraph, list item, quotation, table row and code block is a paragraph.

Markup is removed; code keeps its lines, and formulas stay as they are written. A level-one heading at the very
beginning is the title.
"""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotation.formatting.formula_rules import FORMULA_BLOCK, read_formulas
from retrieval.paper_formats.plain_text import decoded, joined
from retrieval.papers import Paper
from retrieval.search_errors import PaperError

CODE = ("fence", "code_block", FORMULA_BLOCK)
MOST_CHARACTERS, MOST_CELLS = 2_000_000, 100_000
"""Limits on the file with its markup: a parsed cell takes a kilobyte, even if it has only one character."""


def read(name: str, content: bytes) -> Paper:
    text = decoded(content)
    if len(text) > MOST_CHARACTERS:
        raise PaperError(f"is longer than {MOST_CHARACTERS} characters")
    if text.count("|") > MOST_CELLS:
        raise PaperError(f"has tables of more than {MOST_CELLS} cells")
    blocks = list(_blocks(read_formulas(MarkdownIt("commonmark").enable("table")).parse(text)))
    title = name
    if blocks and blocks[0][0] == "h1":
        title = blocks.pop(0)[1]
    return Paper(name, title, (), None, None, tuple(text for _, text in blocks))


def _blocks(parsed: list[Token]) -> Iterator[tuple[str, str]]:
    """Yield the tag of the surrounding element and the text of each block with text."""
    tag = ""
    cells: list[str] = []
    for token in parsed:
        if token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            if row := joined(" | ".join(cells)):
                yield "tr", row
        elif token.type in CODE:
            if token.content.strip():
                yield "code", token.content.rstrip("\n")
        elif token.type == "inline":
            text = joined(_text(token.children or []))
            if tag in ("th", "td"):
                cells.append(text)
            elif text:
                yield tag, text
        elif token.nesting == 1:
            tag = token.tag


def _text(inline: list[Token]) -> str:
    """Return the text of a line without markup; an image becomes its alternative text."""
    return "".join(_piece(token) for token in inline)


def _piece(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "html_inline":
        return ""
    return token.content
