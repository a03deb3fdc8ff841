"""Reads a paper from plain text: empty lines separate paragraphs, and the lines of a paragraph are joined."""

import re

from retrieval.papers import Paper
from retrieval.search_errors import PaperError

EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
LONGEST_TITLE = 300


def read(name: str, content: bytes) -> Paper:
    """Return the paper; its title is the first paragraph if that is short and does not end like a sentence."""
    paragraphs = [one for block in EMPTY_LINE.split(decoded(content)) if (one := joined(block))]
    title = name
    if len(paragraphs) > 1 and is_title(paragraphs[0]):
        title, *paragraphs = paragraphs
    return Paper(name, title, (), None, None, tuple(paragraphs))


def decoded(content: bytes) -> str:
    """Return the text of a file. Raises PaperError unless it is UTF-8."""
    if content.startswith(OTHER_ENCODINGS):
        raise PaperError("looks like UTF-16: save it as UTF-8")
    if b"\0" in content:
        raise PaperError("is not text: it contains NUL")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        place = f"byte 0x{content[problem.start]:02X} at {problem.start + 1}"
        raise PaperError(f"is not UTF-8 ({place}): save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def joined(block: str) -> str:
    """Join the lines of a paragraph, with single spaces between words."""
    return " ".join(block.split())


def is_title(paragraph: str) -> bool:
    return len(paragraph) <= LONGEST_TITLE and not paragraph.endswith((".", "!", ":", ";", ","))
