"""What changed between two answers, word by word, and how many sentences that concerns.

A change of wording is found by words and marks; spaces count only where a line or paragraph begins, which is
what instructions about form are about. Places are code points, and no character is torn from its marks. Parts
that are the same for long are given apart, so that a page can fold them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from annotation.words import words_of
from llm.extractive.sentences import sentences

SAME, ADDED, REMOVED = "same", "added", "removed"
LEAST_FOLDED = 30
"""Words that must be the same in a row, beside the sentences at their edges, before they are folded."""
FEWEST_BETWEEN = 2
"""A row of so few words is no row between two changes that are as long."""
CITATION = re.compile(r"\[\d{1,3}(?:\s?[,;]\s?\d{1,3})*\]")
EXTENDING = "\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
MARK = re.compile(rf"[\U0001f1e6-\U0001f1ff]{{2}}|\S[{EXTENDING}]*(?:\u200d\S[{EXTENDING}]*)*")
SPACE = re.compile(r"\s+")
BOUNDARY = re.compile(r"[.!?\u2026\u061f\u06d4\u0964][\"'\u201d\u2019\u00bb)\]]*\s+|[\u3002\uff01\uff1f]|\n+")
LETTER = re.compile(r"\w")
ENDS = ".!?\u2026\u061f\u06d4\u0964\u3002\uff01\uff1f"
Blocks = list[tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]`; two pieces are the same where their `form` is."""

    start: int
    end: int
    form: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that is the `same` in both answers, `added` to the older one or `removed` from it."""

    kind: str
    text: str
    folded: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())

    @property
    def is_break(self) -> bool:
        """Whether nothing but a line's end came or went: a page must show a sign for it."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class Sentences:
    """How many sentences of the newer answer there are, and how many are rewritten, new, and gone from the older."""

    total: int
    rewritten: int
    added: int
    removed: int

    @property
    def changed(self) -> int:
        return self.rewritten + self.added + self.removed


@dataclass(frozen=True, slots=True)
class Differences:
    """All of both answers in the order of reading."""

    stretches: tuple[Stretch, ...]
    sentences: Sentences
    words_added: int
    words_removed: int

    @property
    def is_same(self) -> bool:
        return all(stretch.kind == SAME for stretch in self.stretches)


def differences(older: str, newer: str) -> Differences:
    """What was added to and removed from `older` to make `newer`."""
    older, newer = _lines(older), _lines(newer)
    stretches = tuple(_folding(list(_stretches(older, newer))))
    added, removed = (sum(one.words for one in stretches if one.kind == kind) for kind in (ADDED, REMOVED))
    return Differences(stretches, count_sentences(older, newer), added, removed)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def pieces_of(text: str) -> list[Piece]:
    """Words, citations, marks and line ends of `text`; spaces between them belong to none."""
    found, end = [], 0
    for start, stop in _spans(text):
        found += _between(text, end, start)
        found.append(Piece(start, stop, text[start:stop]))
        end = stop
    return found + _between(text, end, len(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Places of citations, and of the words outside of them."""
    cited = [match.span() for match in CITATION.finditer(text)]
    words = [(word.start, word.end) for word in words_of(text, "")]
    ends = iter([*cited, (len(text) + 1, 0)])
    start, stop = next(ends)
    for word in words:
        while word[0] >= start:
            if word[0] < stop:
                break
            yield start, stop
            start, stop = next(ends)
        if not start <= word[0] < stop:
            yield word
    while stop:
        yield start, stop
        start, stop = next(ends)


def _between(text: str, start: int, end: int) -> list[Piece]:
    """What stands between two words: single marks, and the ends of lines."""
    found = []
    while start < end:
        space = SPACE.match(text, start, end)
        if space is not None:
            if "\n" in space[0]:
                found.append(Piece(start, space.end(), "\n\n" if space[0].count("\n") > 1 else "\n"))
            start = space.end()
            continue
        mark = MARK.match(text, start, end)
        stop = mark.end() if mark else start + 1
        found.append(Piece(start, stop, text[start:stop]))
        start = stop
    return found


def _stretches(older: str, newer: str) -> Iterator[Stretch]:
    """The stretches in order; the space before a piece goes with the piece."""
    old, new = pieces_of(older), pieces_of(newer)
    matcher = SequenceMatcher(None, [one.form for one in old], [one.form for one in new], autojunk=False)
    done_old = done_new = 0
    for i, j, size in _solid(_slid(matcher.get_matching_blocks(), old, new), new):
        yield from _part(REMOVED, older[done_old : old[i].start])
        yield from _part(ADDED, newer[done_new : new[j].start])
        done_old, done_new = _after(older, old[i + size - 1].end), _after(newer, new[j + size - 1].end)
        yield from _part(SAME, newer[new[j].start : done_new])
    yield from _part(REMOVED, older[done_old:])
    yield from _part(ADDED, newer[done_new:])


def _slid(blocks: Sequence[tuple[int, int, int]], old: Sequence[Piece], new: Sequence[Piece]) -> Blocks:
    """The blocks, with pure additions and removals moved to where a sentence or line begins, if they fit there too."""
    found = [(i, j, size) for i, j, size in blocks]
    for place in range(len(found) - 1):
        (i, j, size), (i_next, j_next, size_next) = found[place], found[place + 1]
        pieces, start, end = (new, j + size, j_next) if i + size == i_next else (old, i + size, i_next)
        if (i + size == i_next) == (j + size == j_next):
            continue
        least = start
        while least > start - size and pieces[least - 1].form == pieces[end - (start - least) - 1].form:
            least -= 1
        most = start
        while most < start + size_next and pieces[most].form == pieces[end + (most - start)].form:
            most += 1
        by = max(range(least, most + 1), key=lambda first: (_begins(pieces, first), -abs(first - start))) - start
        found[place], found[place + 1] = (i, j, size + by), (i_next + by, j_next + by, size_next - by)
    return found


def _begins(pieces: Sequence[Piece], place: int) -> int:
    """How well a change that begins at `place` can be read: best as whole lines, then as whole sentences."""
    if place == 0 or (place < len(pieces) and pieces[place].form.startswith("\n")):
        return 2
    return 2 if pieces[place - 1].form.startswith("\n") else int(pieces[place - 1].form in ENDS)


def _after(text: str, end: int) -> int:
    """Where the spaces after a piece end that are no line's end."""
    while end < len(text) and text[end].isspace() and text[end] != "\n":
        end += 1
    return end


def _part(kind: str, text: str) -> Iterator[Stretch]:
    if text and (text.strip() or "\n" in text or kind == SAME):
        yield Stretch(kind, text)


def _solid(blocks: Blocks, new: Sequence[Piece]) -> Iterator[tuple[int, int, int]]:
    """The blocks without those that say nothing: marks alone, and a word or two lost between longer changes."""
    ends = [(0, 0), *((i + size, j + size) for i, j, size in blocks)]
    for place, (i, j, size) in enumerate(blocks):
        if not size:
            continue
        words = sum(LETTER.search(piece.form) is not None for piece in new[j : j + size])
        before = max(i - ends[place][0], j - ends[place][1])
        following = blocks[place + 1] if place + 1 < len(blocks) else (i + size, j + size, 0)
        after = max(following[0] - i - size, following[1] - j - size)
        if not before or not after or words > min(before, after, FEWEST_BETWEEN):
            yield i, j, size


def _folding(stretches: list[Stretch]) -> Iterator[Stretch]:
    """The stretches, the middle of long unchanged ones apart; sentences at the edge of a change stay in view."""
    for number, stretch in enumerate(stretches):
        if stretch.kind != SAME:
            yield stretch
            continue
        ends = [match.end() for match in BOUNDARY.finditer(stretch.text)]
        start = 0 if number == 0 else next(iter(ends), len(stretch.text))
        stop = len(stretch.text) if number == len(stretches) - 1 else max((e for e in ends if e > start), default=start)
        middle = stretch.text[start:stop]
        if len(middle.split()) < LEAST_FOLDED or len(stretches) == 1:
            yield stretch
            continue
        yield from _part(SAME, stretch.text[:start])
        yield Stretch(SAME, middle, folded=True)
        yield from _part(SAME, stretch.text[stop:])


def count_sentences(older: str, newer: str) -> Sentences:
    """How many sentences were changed, whatever happened to the spaces in them; a moved one is gone and new."""
    old, new = sentences(older), sentences(newer)
    rewritten = added = removed = 0
    for kind, i, i_end, j, j_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            both = min(i_end - i, j_end - j)
            rewritten, added, removed = rewritten + both, added + j_end - j - both, removed + i_end - i - both
    return Sentences(len(new), rewritten, added, removed)
