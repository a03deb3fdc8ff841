"""Differences of two answers, word by word, and the number of changed sentences.

Spaces count only if a line or paragraph begins there, since instructions about form ask for lines and paragraphs.
Characters are not separated from their combining marks. Long unchanged passages are stretches of their own, so that a
page can fold them.

The work is bounded for all texts: if they have very many words, their sentences are compared first, and parts that
are still too much work are shown as removed and added.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from agreement.text_lengths import count_words
from llm.extractive.sentences import sentences
from sessions.comparing.sequence_matching import Run, StepCounter, matching_runs
from sessions.comparing.word_pieces import Pieces, pieces_of

SAME, ADDED, REMOVED = "same", "added", "removed"
MOST_DIRECT, MOST_PIECES = 20_000, 80_000
"""Words and marks of both texts that are compared directly, and that are compared between equal sentences."""
MOST_SAME = 1_000
"""How many unchanged stretches a page shows between changes; shorter ones are shown as changed."""
LONGEST_SPLIT = 60_000
"""Characters of both texts up to which abbreviations are considered when sentences are counted."""
LEAST_FOLDED = 30
"""How many words an unchanged stretch must have, without the sentences beside changes, to be folded."""
FEWEST_BETWEEN = 2
"""So few equal words between two changes of at least as many words become part of one change."""
BOUNDARY = re.compile(r"[.!?\u2026\u061f\u06d4\u0964][\"'\u201d\u2019\u00bb)\]]*\s+|[\u3002\uff01\uff1f]|\n+")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that is the `same` in both answers, `added` to the older one or `removed` from it."""

    kind: str
    text: str
    folded: bool = False

    @property
    def words(self) -> int:
        return count_words(self.text)

    @property
    def is_break(self) -> bool:
        """Return whether only a line end was added or removed, which a page must show by a sign."""
        return not self.text.strip()


@dataclass(frozen=True, slots=True)
class SentenceCounts:
    """How many sentences the newer answer has, and how many were rewritten, added and removed."""

    total: int
    rewritten: int
    added: int
    removed: int

    @property
    def changed(self) -> int:
        return self.rewritten + self.added + self.removed


@dataclass(frozen=True, slots=True)
class WordDiff:
    """The stretches of both answers in reading order."""

    stretches: tuple[Stretch, ...]
    sentences: SentenceCounts
    words_added: int
    words_removed: int

    @property
    def is_same(self) -> bool:
        return all(stretch.kind == SAME for stretch in self.stretches)


def word_diff(older: str, newer: str) -> WordDiff:
    """Return what was added to and removed from `older` to make `newer`."""
    older, newer = _lines(older), _lines(newer)
    stretches = tuple(_folded(_limited(_merged(_stretches(older, newer)))))
    added, removed = (sum(one.words for one in stretches if one.kind == kind) for kind in (ADDED, REMOVED))
    return WordDiff(stretches, count_sentences(older, newer), added, removed)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _stretches(older: str, newer: str) -> Iterator[Stretch]:
    steps = StepCounter()
    pieces = _both_pieces(older, newer, MOST_DIRECT)
    return _by_sentences(older, newer, steps) if pieces is None else _by_words(*pieces, steps)


def _both_pieces(older: str, newer: str, most: int) -> tuple[Pieces, Pieces] | None:
    old = pieces_of(older, most)
    new = None if old is None else pieces_of(newer, most - len(old))
    return None if old is None or new is None else (old, new)


def _by_sentences(older: str, newer: str, steps: StepCounter) -> Iterator[Stretch]:
    """Return stretches of whole sentences; between equal ones, words are compared unless that is too much work."""
    old, new = _boundaries(older), _boundaries(newer)
    runs = matching_runs(_between(older, old), _between(newer, new), steps)
    pieces_left = MOST_PIECES
    before = Run(0, 0, 0)
    for run in [*runs, Run(len(old) - 1, len(new) - 1, 0)]:
        gone = older[old[before.old_end] : old[run.old_start]]
        come = newer[new[before.new_end] : new[run.new_start]]
        pieces = _both_pieces(gone, come, pieces_left)
        if pieces is None:
            yield from _shown(REMOVED, gone)
            yield from _shown(ADDED, come)
        else:
            pieces_left -= len(pieces[0]) + len(pieces[1])
            yield from _by_words(*pieces, steps)
        yield from _shown(SAME, newer[new[run.new_start] : new[run.new_end]])
        before = run


def _boundaries(text: str) -> list[int]:
    """Return where the sentences of `text` begin, and its end."""
    starts = [0, *(match.end() for match in BOUNDARY.finditer(text))]
    return starts if starts[-1] == len(text) else [*starts, len(text)]


def _between(text: str, places: Sequence[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise(places)]


def _by_words(old: Pieces, new: Pieces, steps: StepCounter) -> Iterator[Stretch]:
    """Return stretches of whole pieces; the space before a piece belongs to the piece."""
    older, newer = old.text, new.text
    done_old = done_new = 0
    runs = [*matching_runs(old.forms, new.forms, steps), Run(len(old), len(new), 0)]
    for run in _telling(_slid(runs, old, new), new):
        yield from _shown(REMOVED, older[done_old : old.starts[run.old_start]])
        yield from _shown(ADDED, newer[done_new : new.starts[run.new_start]])
        done_old = _after_spaces(older, old.ends[run.old_end - 1])
        done_new = _after_spaces(newer, new.ends[run.new_end - 1])
        yield from _shown(SAME, newer[new.starts[run.new_start] : done_new])
    yield from _shown(REMOVED, older[done_old:])
    yield from _shown(ADDED, newer[done_new:])


def _slid(runs: Sequence[Run], old: Pieces, new: Pieces) -> list[Run]:
    """Return the runs, with pure additions and removals moved to the start of a sentence or line if they also fit."""
    found = list(runs)
    for place in range(len(found) - 1):
        run, following = found[place], found[place + 1]
        is_addition, is_removal = run.old_end == following.old_start, run.new_end == following.new_start
        if is_addition == is_removal:
            continue
        if is_addition:
            by = _best_shift(new, run.new_end, following.new_start, run.size, following.size)
        else:
            by = _best_shift(old, run.old_end, following.old_start, run.size, following.size)
        found[place] = run._replace(size=run.size + by)
        found[place + 1] = Run(following.old_start + by, following.new_start + by, following.size - by)
    return found


def _best_shift(pieces: Pieces, start: int, end: int, back: int, on: int) -> int:
    """Return how far to move the change from `start` to `end`, at most `back` backwards and `on` forwards."""
    forms, least, most = pieces.forms, start, start
    while least > start - back and forms[least - 1] == forms[end - (start - least) - 1]:
        least -= 1
    while most < start + on and forms[most] == forms[end + (most - start)]:
        most += 1
    return max(range(least, most + 1), key=lambda first: (pieces.rank_start(first), -abs(first - start))) - start


def _after_spaces(text: str, end: int) -> int:
    """Return where the spaces that follow a piece on its line end."""
    while end < len(text) and text[end].isspace() and text[end] != "\n":
        end += 1
    return end


def _shown(kind: str, text: str) -> Iterator[Stretch]:
    if text and (text.strip() or "\n" in text or kind == SAME):
        yield Stretch(kind, text)


def _telling(runs: Sequence[Run], new: Pieces) -> Iterator[Run]:
    """Return the runs without insignificant ones: marks alone, and a word or two between longer changes."""
    ends = [(0, 0), *((run.old_end, run.new_end) for run in runs)]
    for place, run in enumerate(runs):
        if not run.size:
            continue
        words = new.count_words(run.new_start, run.new_end)
        before = max(run.old_start - ends[place][0], run.new_start - ends[place][1])
        following = runs[place + 1] if place + 1 < len(runs) else Run(run.old_end, run.new_end, 0)
        after = max(following.old_start - run.old_end, following.new_start - run.new_end)
        if not before or not after or words > min(before, after, FEWEST_BETWEEN):
            yield run


def _merged(stretches: Iterator[Stretch]) -> list[Stretch]:
    """Return the stretches, with neighbours of the same kind joined."""
    grouped = groupby(stretches, key=lambda one: one.kind)
    return [Stretch(kind, "".join(one.text for one in group)) for kind, group in grouped]


def _limited(stretches: list[Stretch]) -> list[Stretch]:
    """Return the stretches with at most MOST_SAME unchanged ones: the shortest become part of the changes."""
    lengths = {place: len(one.text) for place, one in enumerate(stretches) if one.kind == SAME}
    if len(lengths) <= MOST_SAME:
        return stretches
    kept = set(sorted(lengths, key=lambda place: -lengths[place])[:MOST_SAME])
    found = []
    for is_kept, group in groupby(enumerate(stretches), key=lambda numbered: numbered[0] in kept):
        parts = [one for _, one in group]
        if is_kept:
            found += parts
        else:
            for kind in (REMOVED, ADDED):
                found += _shown(kind, "".join(one.text for one in parts if one.kind in (kind, SAME)))
    return found


def _folded(stretches: list[Stretch]) -> Iterator[Stretch]:
    """Return the stretches with the middle of long unchanged ones folded; sentences next to changes stay visible."""
    for number, stretch in enumerate(stretches):
        if stretch.kind != SAME or len(stretches) == 1:
            yield stretch
            continue
        text = stretch.text
        ends = [match.end() for match in BOUNDARY.finditer(text)]
        start = 0 if number == 0 else next(iter(ends), len(text))
        stop = len(text) if number == len(stretches) - 1 else max((end for end in ends if end > start), default=start)
        if count_words(text[start:stop]) < LEAST_FOLDED:
            yield stretch
            continue
        yield from _shown(SAME, text[:start])
        yield Stretch(SAME, text[start:stop], folded=True)
        yield from _shown(SAME, text[stop:])


def count_sentences(older: str, newer: str) -> SentenceCounts:
    """Count the sentences that changed in more than spaces; a moved one counts as removed and added."""
    split = sentences if len(older) + len(newer) <= LONGEST_SPLIT else _split_at_boundaries
    old, new = split(older), split(newer)
    rewritten = added = removed = 0
    before = Run(0, 0, 0)
    for run in [*matching_runs(old, new, StepCounter()), Run(len(old), len(new), 0)]:
        gone, come = run.old_start - before.old_end, run.new_start - before.new_end
        both = min(gone, come)
        rewritten, added, removed = rewritten + both, added + come - both, removed + gone - both
        before = run
    return SentenceCounts(len(new), rewritten, added, removed)


def _split_at_boundaries(text: str) -> list[str]:
    """Return the sentences of `text`, ignoring abbreviations."""
    return [sentence for one in _between(text, _boundaries(text)) if (sentence := " ".join(one.split()))]
