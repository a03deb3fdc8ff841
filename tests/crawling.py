"""The addresses that a test opens which follows links: each once, and of pages that differ in their row alone a few."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

OF_A_KIND = 3
NUMBERS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+")


class Addresses:
    """What is to be opened: all of `start`, then what is added while one iterates, of that the last one first.

    Of added addresses that differ only in numbers and keys, such as those of the rows of a table, `of_a_kind` come;
    None is all of them. What follows a question mark tells kinds apart. Once `most` have come, nothing more is added.
    Addresses that contain a text of `skip` never come.
    """

    def __init__(self, start: Iterable[str], of_a_kind: int | None, most: int, skip: Iterable[str] = ()) -> None:
        self.seen: set[str] = set()
        self._start, self._added = list(start), list[str]()
        self._kinds: Counter[str] = Counter()
        self._of_a_kind, self._most, self._skip = of_a_kind, most, tuple(skip)

    def add(self, found: Iterable[str]) -> None:
        if len(self.seen) < self._most:
            self._added.extend(found)

    def __iter__(self) -> Iterator[str]:
        for path in self._start:
            if self._is_new(path):
                yield path
        while self._added:
            path = self._added.pop().replace("&amp;", "&")
            is_one_more = self._of_a_kind is None or self._kinds[NUMBERS.sub("0", path)] < self._of_a_kind
            if is_one_more and self._is_new(path):
                yield path

    def _is_new(self, path: str) -> bool:
        if path in self.seen or path.startswith("/static/") or any(text in path for text in self._skip):
            return False
        self.seen.add(path)
        self._kinds[NUMBERS.sub("0", path)] += 1
        return True
