"""Draws documents from a file, uniformly for each source and reproducibly by a seed, while reading it once.

Each document gets a number that is drawn from the seed, its source and its id, and those with the lowest numbers are
kept. Every document of a source is equally likely to be kept, memory holds no more than the sample, and the sample does
not depend on the order of lines.
"""

import hashlib
import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agreement.text_lengths import count_words
from config.text_validation import LONGEST_ID, TextRefusedError, check_id, check_text

MOST_SOURCES = 1_000
LONGEST_DOCUMENT = 200_000
KEYS = frozenset({"id", "text", "source"})


class DocumentsRefusedError(Exception):
    """The documents cannot be drawn; the message is a sentence that says why."""


@dataclass(frozen=True)
class DrawnDocument:
    """A document of the sample; `content` has all other keys of its line."""

    key: str
    source: str
    text: str
    words: int
    content: Mapping[str, Any]


@dataclass
class SourceCounts:
    """How many documents of a source were read, had a number of words within the range, and were drawn."""

    read: int = 0
    in_range: int = 0
    drawn: int = 0


@dataclass(frozen=True)
class WordRange:
    """The number of words that a document may have, both ends included; None is no limit."""

    fewest: int | None = None
    most: int | None = None

    def has(self, words: int) -> bool:
        return (self.fewest is None or words >= self.fewest) and (self.most is None or words <= self.most)


@dataclass
class SampleDraw:
    """The documents drawn, by source and then in the order of their numbers, and the counts of each source."""

    documents: list[DrawnDocument] = field(default_factory=list)
    counts: dict[str, SourceCounts] = field(default_factory=dict)


def draw(lines: Iterable[tuple[int, Mapping[str, Any]]], per_source: int, words: WordRange, seed: int) -> SampleDraw:
    """Return up to `per_source` documents of each source from (line number, object). Raises DocumentsRefusedError."""
    counts: dict[str, SourceCounts] = {}
    kept: dict[str, _Kept] = {}
    for line, body in lines:
        document = _document(line, body)
        mine = counts.setdefault(document.source, SourceCounts())
        if len(counts) > MOST_SOURCES:
            raise DocumentsRefusedError(f"The file has more than {MOST_SOURCES} sources.")
        mine.read += 1
        if not words.has(document.words):
            continue
        mine.in_range += 1
        if not kept.setdefault(document.source, _Kept(per_source)).offer(_number(seed, document), document):
            raise DocumentsRefusedError(f"Line {line}: the id {document.key!r} appears twice.")
    return _sample(counts, kept)


class _Kept:
    """The documents of a source with the lowest numbers so far; the one with the highest is first in the heap."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.heap: list[tuple[int, str]] = []
        self.documents: dict[str, DrawnDocument] = {}

    def offer(self, number: int, document: DrawnDocument) -> bool:
        """Keep the document if its number is low enough; return False if one with its id is kept already."""
        if document.key in self.documents:
            return False
        place = (-number, document.key)
        if len(self.heap) < self.most:
            heapq.heappush(self.heap, place)
            self.documents[document.key] = document
        elif place > self.heap[0]:
            del self.documents[heapq.heapreplace(self.heap, place)[1]]
            self.documents[document.key] = document
        return True


def _sample(counts: dict[str, SourceCounts], kept: Mapping[str, _Kept]) -> SampleDraw:
    found = SampleDraw(counts=dict(sorted(counts.items())))
    seen: set[str] = set()
    for source in sorted(kept):
        for _, key in sorted(kept[source].heap, reverse=True):
            if key in seen:
                raise DocumentsRefusedError(f"The id {key!r} appears in two sources.")
            seen.add(key)
            found.documents.append(kept[source].documents[key])
        counts[source].drawn = len(kept[source].heap)
    return found


def _document(line: int, body: Mapping[str, Any]) -> DrawnDocument:
    text, source = body.get("text"), body.get("source", "")
    try:
        key = check_id(body.get("id"), "id")
        if not isinstance(text, str) or not text.strip():
            raise TextRefusedError("text", "must be text")
        if len(check_text(text, "text")) > LONGEST_DOCUMENT:
            raise TextRefusedError("text", f"has more than {LONGEST_DOCUMENT:,} characters")
        if not isinstance(source, str) or len(source) > LONGEST_ID:
            raise TextRefusedError("source", f"must be text of at most {LONGEST_ID} characters")
    except TextRefusedError as problem:
        raise DocumentsRefusedError(f"Line {line}, {problem}.") from None
    content = {name: value for name, value in body.items() if name not in KEYS}
    return DrawnDocument(key, source, text, count_words(text), content)


def _number(seed: int, document: DrawnDocument) -> int:
    drawn = hashlib.sha256(f"{seed}\0{document.source}\0{document.key}".encode()).digest()
    return int.from_bytes(drawn[:16], "big")
