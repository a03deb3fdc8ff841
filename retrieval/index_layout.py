"""Maps the passages of items to the rows of an index, and writes files that are complete as soon as they exist.

A text that occurs several times in a study has one row. Passages without text, and repeated passages of the same item,
have no row and are never found.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NO_ROW = -1
ITEMS, STARTS, ROWS = "items.npy", "starts.npy", "rows.npy"


@dataclass(frozen=True)
class Layout:
    """The rows of the passages of `items[i]` are `rows[starts[i]:starts[i + 1]]`; `items` are sorted primary keys."""

    items: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]

    @classmethod
    def open(cls, folder: Path) -> "Layout":
        """Return the layout in `folder`, mapped into memory. Raises OSError if it is missing."""
        names = (ITEMS, STARTS, ROWS)
        return cls(*(np.load(folder / name, mmap_mode="r", allow_pickle=False) for name in names))

    def save(self, folder: Path) -> None:
        for name, array in ((ITEMS, self.items), (STARTS, self.starts), (ROWS, self.rows)):
            np.save(folder / name, array, allow_pickle=False)

    def rows_of(self, item: int) -> NDArray[np.int32] | None:
        """Return the row, or NO_ROW, of each passage of the item; None if the item is not in the index."""
        place = int(np.searchsorted(self.items, item))
        if place == len(self.items) or self.items[place] != item:
            return None
        return np.asarray(self.rows[self.starts[place] : self.starts[place + 1]])


@dataclass
class Numbering:
    """Numbers texts with rows; items are added in the order of their keys."""

    known: dict[bytes, int] = field(default_factory=dict)
    items: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    rows: list[NDArray[np.int32]] = field(default_factory=list)

    def add(self, item: int, texts: Iterable[str]) -> None:
        seen, rows = set(), []
        for text in texts:
            row = self.known.setdefault(digest_of(text), len(self.known)) if text.strip() else NO_ROW
            rows.append(NO_ROW if row in seen else row)
            seen.add(row)
        self.items.append(item)
        self.starts.append(self.starts[-1] + len(rows))
        self.rows.append(np.array(rows, dtype=np.int32))

    def layout(self) -> Layout:
        rows = np.concatenate(self.rows) if self.rows else np.empty(0, np.int32)
        return Layout(np.array(self.items, np.int64), np.array(self.starts, np.int64), rows)


def digest_of(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def new_texts(numbering: Numbering, texts: Iterable[str]) -> Iterator[str]:
    """Yield each text once, in the order of rows; `texts` come in the same order as in `Numbering.add`."""
    next_row = 0
    for text in texts:
        if numbering.known.get(digest_of(text)) == next_row:
            next_row += 1
            yield text


def sync_folder(folder: Path) -> None:
    """Flush all files of a folder, and the folder, to the disk."""
    for path in [*(path for path in folder.iterdir() if path.is_file()), folder]:
        sync(path)


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
