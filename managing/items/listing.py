"""A page of the table of items: from the summaries that workers keep, so that it costs the same in any study.

Before a study's first summaries, the table shows its items in the order of import, found by the beginning of their key.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models.functions import Substr

from annotation.models import Item, Study
from annotation.pools import pools
from annotation.protocols import protocols
from managing.items.filters import ItemFilters
from managing.models import ItemSummary
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus

PAGE_SIZE = 50
MOST_PAGES = 200
"""Nobody turns further; what lies beyond is found by filters. So a page costs at most as much as the last of these."""
MOST_COUNTED = PAGE_SIZE * MOST_PAGES
TITLE = 160
CHOICES: Mapping[str, Any] = {"state": ItemSummary.State, "set": Item.Set}


@dataclass(frozen=True)
class ListedItem:
    """A row: the item's key, a beginning of its text, and its summary, if there is one."""

    pk: int
    key: str
    title: str
    withdrawn: bool
    summary: ItemSummary | None
    is_current: bool = True
    """Whether nothing has happened since the summary was made."""

    @property
    def categories(self) -> list[str]:
        return [name for name in self.summary.categories.split("\n") if name] if self.summary else []

    def cells(self, columns: Sequence[str]) -> list[tuple[str, Any]]:
        """The values of some columns, by column; without a summary they are None."""
        return [(name, self._cell(name)) for name in columns]

    def _cell(self, name: str) -> Any:
        if self.summary is None:
            return None
        if name == "category":
            return ", ".join(self.categories)
        value = getattr(self.summary, name)
        if value == ItemSummary.State.NONE and not self.is_current:
            return None
        if name == "pool":
            return pools().get(value, value)
        return CHOICES[name](value).label if value and name in CHOICES else value


class ItemList:
    """A page of a study's items; `number` is the page, from 1."""

    def __init__(self, study: Study, filters: ItemFilters, number: int) -> None:
        self.study, self.filters, self.kept = study, filters, kept_report(study, "items", {})
        self.number = min(max(number, 1), MOST_PAGES)

    def status(self, query: Any) -> KeptStatus:
        return KeptStatus.of([self.kept], query)

    @property
    def figures(self) -> dict[str, Any]:
        return self.kept.figures if self.kept.is_there else {}

    @cached_property
    def found(self) -> int:
        """How many items fit, counted up to MOST_COUNTED + 1."""
        if self.kept.is_there and not self.filters.are_narrow:
            return int(self.figures["items"])
        return len(self._keys)

    @cached_property
    def _keys(self) -> list[int]:
        """The first MOST_COUNTED + 1 items that fit, in order. One search gives their number and every page."""
        rows = self._summaries if self.kept.is_there else self._items
        return list(rows.values_list("pk", flat=True)[: MOST_COUNTED + 1])

    @property
    def is_more(self) -> bool:
        return self.filters.are_narrow and self.found > MOST_COUNTED

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, min(-(-self.found // PAGE_SIZE), MOST_PAGES))

    @property
    def _summaries(self) -> Any:
        return self.filters.rows(self.study)

    @property
    def _items(self) -> Any:
        return Item.objects.filter(study=self.study, key__startswith=self.filters.given.get("q", "")).order_by("pk")

    @cached_property
    def rows(self) -> list[ListedItem]:
        start = (min(self.number, self.last) - 1) * PAGE_SIZE
        if self.kept.is_there and not self.filters.are_narrow:
            pks = list(self._summaries.values_list("pk", flat=True)[start : start + PAGE_SIZE])
        else:
            pks = self._keys[start : start + PAGE_SIZE]
        summaries = ItemSummary.objects.in_bulk(pks) if self.kept.is_there else {}
        texts = Item.objects.filter(pk__in=pks).annotate(
            asked=Substr("instruction", 1, TITLE), about=Substr("document", 1, TITLE)
        )
        named = {row["pk"]: row for row in texts.values("pk", "key", "asked", "about", "withdrawn_at")}
        titles = protocols()[self.study.protocol].flow.titles(pks)
        return [
            ListedItem(
                pk, row["key"], titles.get(pk) or row["asked"] or row["about"], row["withdrawn_at"] is not None,
                summaries.get(pk), self.kept.is_current,
            )
            for pk in pks
            for row in [named[pk]]
        ]  # fmt: skip
