"""Maps the passages of items to the rows of an index, in files that are mapped into memory."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.numbering import Numbering

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


def layout_of(numbering: Numbering) -> Layout:
    """Return the layout of all items that were numbered."""
    return Layout(
        np.array(numbering.items, np.int64), np.array(numbering.starts, np.int64), np.array(numbering.rows, np.int32)
    )
