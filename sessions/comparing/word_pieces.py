"""The pieces of an answer that are compared: words, citations, marks, and the ends of lines and paragraphs."""

import re
from dataclasses import dataclass
from itertools import accumulate

from annotation.desk.highlighting import WORD
from llm.citations import CITATION

EXTENDING = "\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
MARK = rf"[\U0001f1e6-\U0001f1ff]{{2}}|\S[{EXTENDING}]*(?:\u200d[^\w\s][{EXTENDING}]*)*"
PIECE = re.compile(rf"{CITATION}|{WORD}|\s+|{MARK}")
LETTER = re.compile(r"\w")
SENTENCE_ENDS = ".!?\u2026\u061f\u06d4\u0964\u3002\uff01\uff1f"
LINE, PARAGRAPH = "\n", "\n\n"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces `text[starts[n]:ends[n]]`, equal if their `forms` are. Spaces inside a line belong to no piece."""

    text: str
    starts: list[int]
    ends: list[int]
    forms: list[str]

    def __len__(self) -> int:
        return len(self.forms)

    def count_words(self, start: int, end: int) -> int:
        """Count the pieces from `start` to `end` that have a letter or digit."""
        return sum(LETTER.search(form) is not None for form in self.forms[start:end])

    def rank_start(self, place: int) -> int:
        """Return how readable a change that begins at `place` is: best at a line (2), then at a sentence (1)."""
        if place == 0 or self.forms[place - 1].startswith(LINE):
            return 2
        if place < len(self) and self.forms[place].startswith(LINE):
            return 2
        return int(self.forms[place - 1] in SENTENCE_ENDS)


def pieces_of(text: str, most: int) -> Pieces | None:
    """Return the pieces of `text`, or None if there are more than `most`."""
    found = PIECE.findall(text)  # every character is in one of them
    if len(found) > 2 * most + 1:  # spaces are between pieces only
        return None
    breaks = {space: _form(space) for space in set(filter(str.isspace, found))}
    placed = [
        (end - len(piece), end, breaks.get(piece, piece))
        for piece, end in zip(found, accumulate(map(len, found)), strict=True)
        if breaks.get(piece, piece)
    ]
    if len(placed) > most:
        return None
    starts, ends, forms = map(list, zip(*placed, strict=True)) if placed else ([], [], [])
    return Pieces(text, starts, ends, forms)


def _form(space: str) -> str:
    """Return the form of a space for comparing; empty if it does not end a line."""
    return "" if LINE not in space else LINE if space.count(LINE) == 1 else PARAGRAPH
