"""Reads a paper from a PDF: pypdf reads the lines in a limited process, and this module joins them to paragraphs.

Printed pages have no paragraphs, only lines. Lines that recur at the top or bottom of pages are running headers and
footers, and single numbers there are page numbers. A paragraph ends at an empty line, before a heading or a list item,
and after a line that ends a sentence and is clearly shorter than its column. Words split at the end of a line are
joined.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from config.outside_requests import outside_of_requests
from retrieval.paper_formats.plain_text import joined
from retrieval.papers import Paper
from retrieval.search_errors import PaperError

READER = Path(__file__).with_name("pdf_pages.py")
"""Not imported: only its own process loads pypdf, which takes 20 MB."""
MARK = b"%PDF-"
MARK_WITHIN = 1024
SECONDS = 60
EDGE_LINES = 2
"""How many lines at the top and bottom of a page may be header and footer."""
RUNNING_PAGES, RUNNING_SHARE = 3, 0.4
"""A running line occurs on at least this many pages, and on this share of them."""
SHORT = 0.8
LONGEST = 3000
LEAST_LETTERS = 10
DIGITS = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"(page\s*)?[-\u2013\u2014]?\s*(\d{1,4}|[ivxlc]{1,6})\s*[-\u2013\u2014]?(\s*(of|/)\s*\d{1,4})?", re.IGNORECASE
)
HEADING = re.compile(r"(\d{1,2}(\.\d{1,2}){0,3}\.?|[A-Z](\.\d{1,2}){1,3}|Appendix [A-Z])\s+\S.{0,78}")
ALONE = frozenset({"abstract", "introduction", "conclusion", "conclusions", "references", "acknowledgements",
                   "acknowledgments", "limitations", "discussion", "related work", "methods", "results"})  # fmt: skip
ITEM = re.compile(r"[•▪‣◦]\s|\(?(\d{1,2}|[a-z]|[ivx]{1,4})\)\s|[-\u2013]\s")
ENDS = re.compile(r"[.!?:][\"'\u201d\u2019)\]]*$")
SENTENCE = re.compile(r"(?<=[.!?])\s+")
BROKEN = re.compile(r"([^\W\d_]{2,})[-\u00ad\u2010]$")
COMPOUND = re.compile(r"(?<!\w)\w+-\w+")
"""Tried at the beginning of a word only: from each of its letters, a long word would take time with its square."""
LONGEST_WORD = 64
LONGEST_PAGE_NUMBER = 60
ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
LIGATURES = str.maketrans({"ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl", "\u00a0": " "})


@outside_of_requests
def read(name: str, content: bytes) -> Paper:
    """Return the paper. Raises PaperError."""
    if MARK not in content[:MARK_WITHIN]:
        raise PaperError("is not a PDF, despite its name")
    found = _pages(content)
    pages = [[line.strip() for line in _clean(page).split("\n")] for page in found["pages"]]
    if sum(character.isalpha() for page in pages for line in page for character in line) < LEAST_LETTERS:
        raise PaperError("has no text, only images of it: run text recognition (OCR) first")
    title = joined(_clean(found["title"])) or name
    return Paper(name, title, (), None, None, tuple(paragraphs_of(pages)))


def _clean(text: str) -> str:
    return ODD.sub("", text.replace("\r\n", "\n").replace("\r", "\n").translate(LIGATURES))


def _pages(content: bytes) -> dict[str, Any]:
    """Return the output of the reading process. Raises PaperError if it was killed or found a problem."""
    command = [sys.executable, "-I", str(READER)]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise PaperError(f"takes longer than {SECONDS} seconds to read") from None
    try:
        found = json.loads(done.stdout)
    except ValueError:
        raise PaperError("takes too much time or memory to read") from None
    if "problem" in found:
        raise PaperError(found["problem"])
    return found


def paragraphs_of(pages: Sequence[Sequence[str]]) -> list[str]:
    """Return the paragraphs of pages of stripped lines."""
    lines = [line for page in _without_running(pages) for line in page]
    whole = set(COMPOUND.findall(" ".join(lines)))
    return [part for block in _blocks(lines) for part in _parts(_joined_lines(block, whole))]


def _without_running(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the pages without headers, footers and page numbers."""
    shown = [list(page) for page in pages]
    seen = Counter(shape for page in shown for shape in {_shape(page[place]) for place in _edges(page)})
    least = max(RUNNING_PAGES, RUNNING_SHARE * len(shown))
    for page in shown:
        for place in sorted(_edges(page), reverse=True):
            if _is_page_number(page[place]) or seen[_shape(page[place])] >= least:
                del page[place]
    return shown


def _is_page_number(line: str) -> bool:
    return len(line) <= LONGEST_PAGE_NUMBER and bool(PAGE_NUMBER.fullmatch(line))


def _edges(page: Sequence[str]) -> set[int]:
    filled = [place for place, line in enumerate(page) if line]
    return {*filled[:EDGE_LINES], *filled[-EDGE_LINES:]}


def _shape(line: str) -> str:
    return DIGITS.sub("#", line.lower())


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of each paragraph."""
    lengths = sorted(len(line) for line in lines if len(line) > 20)
    full = lengths[len(lengths) * 3 // 4] if lengths else 0
    block: list[str] = []
    for line in lines:
        if block and (not line or _begins(line) or _is_over(block, full)):
            yield block
            block = []
        if line:
            block.append(line)
            if _is_heading(line):
                yield block
                block = []
    if block:
        yield block


def _is_heading(line: str) -> bool:
    return line.lower().rstrip(".:") in ALONE or (bool(HEADING.fullmatch(line)) and not ENDS.search(line))


def _begins(line: str) -> bool:
    return bool(ITEM.match(line)) or _is_heading(line)


def _is_over(block: Sequence[str], full: int) -> bool:
    return bool(ENDS.search(block[-1])) and len(block[-1]) < SHORT * full


def _joined_lines(block: Sequence[str], whole: set[str]) -> str:
    """Join the lines of a paragraph; drop a hyphen at a line's end unless the hyphenated word occurs elsewhere."""
    pieces, end = [block[0]], block[0][-LONGEST_WORD:]
    for line in block[1:]:
        broken = BROKEN.search(end)
        if broken is None or not line[0].islower():
            if not (end.endswith("-") and line[0].isalnum()):
                pieces.append(" ")
        else:
            rest = re.match(r"\w+", line)
            pieces[-1] = pieces[-1][:-1] + ("-" if f"{broken[1]}-{rest[0] if rest else ''}" in whole else "")
        pieces.append(line)
        end = "".join(pieces[-3:])[-LONGEST_WORD:]
    return joined("".join(pieces))


def _parts(text: str) -> Iterator[str]:
    """Yield the text, split between sentences if it is too long for a passage."""
    part = ""
    for sentence in SENTENCE.split(text):
        if part and len(part) + len(sentence) > LONGEST:
            yield part
            part = ""
        part = f"{part} {sentence}".strip()
    if part:
        yield part
