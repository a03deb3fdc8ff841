"""Reads papers from files: JSON as in `docs/formats.md`, plain text, Markdown and PDF.

Readers return text that can be stored, without NUL and lone surrogates. A file that cannot be read raises a PaperError
with a sentence.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from config.outside_requests import outside_of_requests
from config.text_validation import TextRefusedError, check_text
from retrieval.paper_formats import json_paper, markdown, pdf, plain_text
from retrieval.papers import Paper
from retrieval.search_errors import PaperError

__all__ = ["MOST_BYTES", "SUFFIXES", "PaperError", "check_file", "read_paper"]

MOST_BYTES = 20 * 1024 * 1024
MOST_PARAGRAPHS = 5000
MOST_CHARACTERS = 2_000_000
LONGEST_ID = 200
_READERS: Mapping[str, Callable[[str, bytes], Paper]] = MappingProxyType({
    ".json": json_paper.read, ".txt": plain_text.read, ".md": markdown.read, ".markdown": markdown.read,
    ".pdf": pdf.read,
})  # fmt: skip
SUFFIXES = tuple(_READERS)


def check_file(name: str, size: int) -> None:
    """Raise PaperError if a file of this name and size is not read, whatever is in it."""
    path = _path(name)
    if path.suffix.lower() not in _READERS:
        raise PaperError(f"{_shown(path.name)} is not a supported file. Supported are {', '.join(SUFFIXES)}.")
    if not size:
        raise PaperError(f"{_shown(path.name)} is empty.")
    if size > MOST_BYTES:
        raise PaperError(f"{_shown(path.name)} is larger than {MOST_BYTES} bytes.")


@outside_of_requests
def read_paper(name: str, content: bytes) -> Paper:
    """Return the paper in a file; its id is the file's name without suffix, unless the file names another.

    Raises PaperError.
    """
    check_file(name, len(content))
    path = _path(name)
    try:
        paper = _READERS[path.suffix.lower()](path.stem, content)
        _check(paper)
    except PaperError as problem:
        raise PaperError(f"{_shown(path.name)} {problem}.") from None
    except TextRefusedError as problem:
        raise PaperError(f"{_shown(path.name)} {problem.reason}.") from None
    return paper


def _path(name: str) -> PurePosixPath:
    return PurePosixPath(name.replace("\\", "/"))


def _check(paper: Paper) -> None:
    if not paper.paragraphs:
        raise PaperError("has no text")
    if len(paper.paragraphs) > MOST_PARAGRAPHS or sum(map(len, paper.paragraphs)) > MOST_CHARACTERS:
        raise PaperError(f"is longer than {MOST_PARAGRAPHS} paragraphs or {MOST_CHARACTERS} characters")
    if not 1 <= len(paper.id) <= LONGEST_ID or not paper.id.isprintable():
        raise PaperError(f"needs a name of 1 to {LONGEST_ID} printable characters, which becomes the paper's id")
    for text in (paper.id, paper.title, *paper.authors, paper.url or "", *paper.paragraphs):
        check_text(text)


def _shown(name: str) -> str:
    """Return a file's name in a form that is safe in a message."""
    return "".join(character if character.isprintable() else "?" for character in name)[:80] or "This file"
