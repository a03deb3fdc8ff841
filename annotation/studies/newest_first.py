"""Pages of a list with the newest rows first, each as fast as the first: a page begins after a row and counts none."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from config.form_fields import DIGITS

PAGE_SIZE = 50


@dataclass(frozen=True)
class NewestFirst:
    """One page of `rows`; `older` is what the next page begins before, None on the last; `is_first`: the newest."""

    rows: list[Any]
    older: int | None
    is_first: bool


def newest_first(rows: QuerySet[Any], before: str, size: int = PAGE_SIZE) -> NewestFirst:
    """The page of `rows`, which are ordered by falling primary key, that begins before the row named `before`.

    Its keys are found first, because the database would read what belongs to a row, such as a long document, for all
    rows that it sorts.
    """
    limit = int(before) if DIGITS.fullmatch(before) else None
    keys = list((rows if limit is None else rows.filter(pk__lt=limit)).values_list("pk", flat=True)[: size + 1])
    older = keys[size - 1] if len(keys) > size else None
    return NewestFirst(list(rows.filter(pk__in=keys[:size])) if keys else [], older, limit is None)
