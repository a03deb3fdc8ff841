"""Markdown: each heading, paragraph, list item, quotation, table row and block of code is a paragraph, without marks.

Code keeps its lines. The first heading of the first level, where it stands before everything else, is the title.
"""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from retrieval.errors import PaperError
from retrieval.papers import Paper
from retrieval.reading.plain import decoded, joined

CODE = ("fence", "code_block")
MOST_CHARACTERS, MOST_CELLS = 2_000_000, 100_000
"""Of the file with its marks: a cell, which may be one character, takes a kilobyte of memory when it is parsed."""


def read(name: str, content: bytes) -> Paper:
    text = decoded(content)
    if len(text) > MOST_CHARACTERS:
        raise PaperError(f"is longer than {MOST_CHARACTERS} characters")
    if text.count("|") > MOST_CELLS:
        raise PaperError(f"has tables of more than {MOST_CELLS} cells")
    blocks = list(_blocks(MarkdownIt("commonmark").enable("table").parse(text)))
    title = name
    if blocks and blocks[0][0] == "h1":
        title = blocks.pop(0)[1]
    return Paper(name, title, (), None, None, tuple(text for _, text in blocks))


def _blocks(parsed: list[Token]) -> Iterator[tuple[str, str]]:
    """(tag of what it stands in, text) of each block that holds text."""
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
    """The text of a line without its marks; a picture gives what stands for it."""
    return "".join(_piece(token) for token in inline)


def _piece(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "html_inline":
        return ""
    return token.content
