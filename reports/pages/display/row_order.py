"""The order of a table's rows, as the address of a page names it: `?sort=` and the key of a column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.http import QueryDict

from reports.pages.display.kept_status import SHOWN

SORT = "sort"
NAME = "name"
AS_GIVEN = ""
Row = TypeVar("Row")


@dataclass(frozen=True)
class Sorting:
    """What the reader's address sorts by, and the other choices in it; `is_fixed` for pages that offer no choice."""

    wanted: str = ""
    others: str = ""
    is_fixed: bool = True

    @classmethod
    def of(cls, query: QueryDict) -> "Sorting":
        others = query.copy()
        for name in (SORT, SHOWN):
            others.pop(name, None)
        return cls(query.get(SORT, ""), others.urlencode(), is_fixed=False)

    def address(self, key: str, place: str = "") -> str:
        """The address that sorts by a column, with the reader's other choices; empty if there is no choice."""
        if self.is_fixed:
            return ""
        query = "&".join(part for part in (self.others, f"{SORT}={key}") if part)
        return f"?{query}#{place}" if place else f"?{query}"


def in_order(rows: Sequence[Row], value: Callable[[Row], float | None], *, descending: bool) -> list[Row]:
    """The rows by their values; those without a value come last, and equal ones stay as they were."""

    def place(row: Row) -> tuple[bool, float]:
        found = value(row)
        return found is None, 0.0 if found is None else -found if descending else found

    return sorted(rows, key=place)
