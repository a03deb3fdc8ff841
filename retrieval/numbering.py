"""Numbers the passages of a study with the rows of an index.

A text that occurs several times in a study has one row. Passages without text, and repeated passages of the same item,
have no row and are never found.
"""

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

NO_ROW = -1


@dataclass
class Numbering:
    """Numbers texts with rows; items are added in the order of their keys.

    `rows` has a row, or NO_ROW, for each passage of all items; those of item i begin at `starts[i]`.
    """

    known: dict[bytes, int] = field(default_factory=dict)
    items: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    rows: "array[int]" = field(default_factory=lambda: array("i"))

    def add(self, item: int, texts: Iterable[str]) -> None:
        seen = set()
        for text in texts:
            row = self.known.setdefault(digest_of(text), len(self.known)) if text.strip() else NO_ROW
            self.rows.append(NO_ROW if row in seen else row)
            seen.add(row)
        self.items.append(item)
        self.starts.append(len(self.rows))


def digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def new_texts(numbering: Numbering, texts: Iterable[str]) -> Iterator[str]:
    """Yield each text once, in the order of rows; `texts` come in the same order as in `Numbering.add`."""
    next_row = 0
    for text in texts:
        if numbering.known.get(digest_of(text)) == next_row:
            next_row += 1
            yield text
