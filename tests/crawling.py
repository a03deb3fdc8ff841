"""The addresses that a test opens which follows links: each once, and of pages that differ in their row alone a few."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

OF_A_KIND = 3
NUMBERS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+")


class Addresses:
    """What is to be opened; addresses may be added while one iterates, and the last one comes first.

    Of addresses that differ only in numbers and keys, such as those of the rows of a table, `of_a_kind` come; None is
    all of them. Whatever follows a question mark counts as a kind of its own, so filters and orders come, too.
    """

    def __init__(self, start: Iterable[str], of_a_kind: int | None, most: int) -> None:
        self.seen: set[str] = set()
        self._waiting = list(start)
        self._kinds: Counter[str] = Counter()
        self._of_a_kind, self._most = of_a_kind, most

    def add(self, found: Iterable[str]) -> None:
        self._waiting.extend(found)

    def __iter__(self) -> Iterator[str]:
        while self._waiting and len(self.seen) < self._most:
            path = self._waiting.pop().replace("&amp;", "&")
            kind = NUMBERS.sub("0", path)
            if path in self.seen or path.startswith("/static/") or self._kinds[kind] == self._of_a_kind:
                continue
            self.seen.add(path)
            self._kinds[kind] += 1
            yield path
