"""Plain text: paragraphs are separated by empty lines, and lines within one are joined."""

import re

from retrieval.errors import PaperError
from retrieval.papers import Paper

EMPTY_LINE = re.compile(r"\n[^\S\n]*\n\s*")
OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
LONGEST_TITLE = 300


def read(name: str, content: bytes) -> Paper:
    """The paper; its title is the first paragraph where that is one short line without a full stop at its end."""
    paragraphs = [one for block in EMPTY_LINE.split(decoded(content)) if (one := joined(block))]
    title = name
    if len(paragraphs) > 1 and is_title(paragraphs[0]):
        title, *paragraphs = paragraphs
    return Paper(name, title, (), None, None, tuple(paragraphs))


def decoded(content: bytes) -> str:
    """The text of a file, which must be UTF-8; raises PaperError."""
    if content.startswith(OTHER_ENCODINGS):
        raise PaperError("is not UTF-8 but looks like UTF-16: save it as UTF-8")
    if b"\0" in content:
        raise PaperError("is no text: it holds NUL")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        place = f"byte 0x{content[problem.start]:02X} at {problem.start + 1}"
        raise PaperError(f"is not UTF-8 ({place}): save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def joined(block: str) -> str:
    """The lines of a paragraph as one, blanks between words single."""
    return " ".join(block.split())


def is_title(paragraph: str) -> bool:
    return len(paragraph) <= LONGEST_TITLE and not paragraph.endswith((".", "!", ":", ";", ","))
