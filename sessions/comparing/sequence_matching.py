"""Finds the matching runs of two sequences with bounded work.

As in `difflib.SequenceMatcher`, the longest run is taken first, then the longest before and after it. The time for
this is proportional to the pairs of equal elements, of which long or repetitive texts have very many. In such texts
the elements that occur once in each sequence are matched first, and the parts between them are compared separately.
Parts that are still too much work stay unmatched.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

LONGEST_DIRECT, MOST_PAIRS = 6_000, 50_000
"""Up to so many elements, and pairs of equal ones, ranges are compared run by run, without looking for anchors."""
MOST_STEPS = 300_000
"""Steps for one comparison of two sequences, each about 0.2 microseconds."""


class Run(NamedTuple):
    """`old[old_start:old_start + size]` equals `new[new_start:new_start + size]`."""

    old_start: int
    new_start: int
    size: int

    @property
    def old_end(self) -> int:
        return self.old_start + self.size

    @property
    def new_end(self) -> int:
        return self.new_start + self.size


class _Range(NamedTuple):
    """A part of the old sequence that is compared with a part of the new one."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class StepCounter:
    """The number of steps left."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most

    def take(self, steps: int) -> bool:
        """Take steps if enough are left. Return whether they were."""
        if steps > self.left:
            return False
        self.left -= steps
        return True


def matching_runs(old: Sequence[str], new: Sequence[str], steps: StepCounter) -> list[Run]:
    """Return the matching runs in order; no two of them touch in both sequences."""
    matcher = _Matcher(old, new, steps)
    matcher.run()
    return _joined(sorted(matcher.found))


class _Matcher:
    def __init__(self, old: Sequence[str], new: Sequence[str], steps: StepCounter) -> None:
        self.old, self.new, self.steps = old, new, steps
        self.found: list[Run] = []
        self.places: dict[str, list[int]] = {}
        for place, element in enumerate(new):
            self.places.setdefault(element, []).append(place)

    def run(self) -> None:
        waiting = [_Range(0, len(self.old), 0, len(self.new))]
        while waiting:
            part = waiting.pop()
            if part.old_start < part.old_end and part.new_start < part.new_end:
                waiting += self._compare(part)

    def _compare(self, part: _Range) -> list[_Range]:
        """Match what can be matched in a part. Return the parts that are left to compare."""
        length = part.old_end - part.old_start + part.new_end - part.new_start
        if not self.steps.take(length):
            self._trim(part)
            return []
        pairs = self._count_pairs(part)
        if pairs == 0:
            return []
        if length > LONGEST_DIRECT or pairs > MOST_PAIRS:
            part = self._trim(part)
            left = self._anchor(part)
            if left or pairs > MOST_PAIRS:
                return left
        if not self.steps.take(pairs):
            return []
        run = self._longest_run(part)
        self._keep(*run)
        return _around(run, part) if run.size else []

    def _count_pairs(self, part: _Range) -> int:
        old = Counter(self.old[part.old_start : part.old_end])
        new = Counter(self.new[part.new_start : part.new_end])
        return sum(count * new[element] for element, count in old.items() if element in new)

    def _longest_run(self, part: _Range) -> Run:
        """Return the longest run of a part that has one; if there are several, the first in the old sequence."""
        best = Run(part.old_start, part.new_start, 0)
        lengths: dict[int, int] = {}
        for i in range(part.old_start, part.old_end):
            here: dict[int, int] = {}
            places = self.places.get(self.old[i], ())
            for at in range(bisect_left(places, part.new_start), len(places)):
                j = places[at]
                if j >= part.new_end:
                    break
                size = here[j] = lengths.get(j - 1, 0) + 1
                if size > best.size:
                    best = Run(i - size + 1, j - size + 1, size)
            lengths = here
        return best

    def _trim(self, part: _Range) -> _Range:
        """Match the equal beginning and end of a part. Return the rest."""
        a, a_end, b, b_end = part
        while a < a_end and b < b_end and self.old[a] == self.new[b]:
            a, b = a + 1, b + 1
        while a_end > a and b_end > b and self.old[a_end - 1] == self.new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        self._keep(part.old_start, part.new_start, a - part.old_start)
        self._keep(a_end, b_end, part.old_end - a_end)
        return _Range(a, a_end, b, b_end)

    def _keep(self, i: int, j: int, size: int) -> None:
        if size:
            self.found.append(Run(i, j, size))

    def _anchor(self, part: _Range) -> list[_Range]:
        """Match the elements that occur once on each side, and their equal neighbours."""
        left, i_done, j_done = [], part.old_start, part.new_start
        for anchor_i, anchor_j in self._anchors(part):
            if anchor_i < i_done or anchor_j < j_done:
                continue
            i, j = anchor_i, anchor_j
            while i > i_done and j > j_done and self.old[i - 1] == self.new[j - 1]:
                i, j = i - 1, j - 1
            end, j_end = anchor_i + 1, anchor_j + 1
            while end < part.old_end and j_end < part.new_end and self.old[end] == self.new[j_end]:
                end, j_end = end + 1, j_end + 1
            left.append(_Range(i_done, i, j_done, j))
            self._keep(i, j, end - i)
            i_done, j_done = end, j_end
        return [*left, _Range(i_done, part.old_end, j_done, part.new_end)] if left else []

    def _anchors(self, part: _Range) -> list[tuple[int, int]]:
        """Return places of elements that occur once on each side: a longest series in the same order on both."""
        old, new = self.old[part.old_start : part.old_end], self.new[part.new_start : part.new_end]
        once = {element for element, count in Counter(new).items() if count == 1}
        single = {element for element, count in Counter(old).items() if count == 1} & once
        places = {element: part.new_start + at for at, element in enumerate(new) if element in single}
        pairs = [(part.old_start + at, places[element]) for at, element in enumerate(old) if element in single]
        return _longest_ordered(pairs)


def _around(run: Run, part: _Range) -> list[_Range]:
    after = _Range(run.old_end, part.old_end, run.new_end, part.new_end)
    return [after, _Range(part.old_start, run.old_start, part.new_start, run.new_start)]


def _longest_ordered(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest subsequence of `pairs`, sorted by first numbers, in which the second numbers increase too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, number) in enumerate(pairs):
        length = bisect_left(ends, number)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            last.append(at)
        else:
            ends[length], last[length] = number, at
    found, at = [], last[-1] if last else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _joined(runs: Sequence[Run]) -> list[Run]:
    joined: list[Run] = []
    for run in runs:
        last = joined[-1] if joined else None
        if last and (last.old_end, last.new_end) == (run.old_start, run.new_start):
            joined[-1] = last._replace(size=last.size + run.size)
        else:
            joined.append(run)
    return joined
