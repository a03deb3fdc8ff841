"""Pages of lists: each begins after the last entry of the one before, so that it costs the same wherever it is.

Rows of a study are found by its items, a window of them at a time, or by their time. Both are read from an index, so a
page reads no more of a large study than of a small one. It may be shorter than asked for, or empty, if few rows of its
window fit the filters.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Model, Q, QuerySet
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from annotation.models import Item, Study

LIMIT, CURSOR = "limit", "cursor"
SIZE, MOST = 100, 500
WINDOW = 500
"""Items, or rows of all studies in the order of time, in which a page looks for its entries."""
LAST = 2**63 - 1
NUMBERS = re.compile(r"[0-9]{1,19}(-[0-9]{1,19})?")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
LATEST = 253_402_300_799 * 10**6
"""The last second that has a date, in ticks."""
START = (0, 0)


@dataclass(frozen=True)
class KeysetPage:
    """Rows, and where the next page begins; None after the last one."""

    rows: Sequence[Any]
    next: tuple[int, int] | None


def page_size(request: Request, size: int = SIZE, most: int = MOST) -> int:
    """The number of entries that a request asks for."""
    given = request.query_params.get(LIMIT)
    if given is None:
        return size
    if not (given.isascii() and given.isdecimal() and len(given) < 6 and 1 <= int(given) <= most):
        raise ParseError(f"{LIMIT} must be a whole number from 1 to {most}.")
    return int(given)


def place_in(request: Request) -> tuple[int, int]:
    """The place after which the page begins, from the cursor; START without one."""
    given = request.query_params.get(CURSOR)
    if given is None:
        return START
    if not NUMBERS.fullmatch(given):
        raise ParseError(f"{CURSOR} must be taken from `next` of the page before, unchanged.")
    first, _, second = given.partition("-")
    return min(int(first), LAST), min(int(second or "0"), LAST)


def next_address(request: Request, place: tuple[int, int] | None) -> str | None:
    """The address of the next page: the same request with the place as its cursor."""
    if place is None:
        return None
    query = request._request.GET.copy()
    query[CURSOR] = f"{place[0]}-{place[1]}"
    return f"{request.path}?{query.urlencode(safe=':,')}"


def in_order(rows: QuerySet[Any], after: tuple[int, int], size: int) -> KeysetPage:
    """A page of rows in the order of their primary keys."""
    found = list(rows.filter(pk__gt=after[0]).order_by("pk")[: size + 1])
    return KeysetPage(found[:size], (found[size - 1].pk, 0) if len(found) > size else None)


def by_items(
    study: Study, rows: QuerySet[Any], path: str, after: tuple[int, int], size: int, *, item: int | None, whole: bool
) -> KeysetPage:
    """A page in the order of items, and within an item of primary keys; of one `item` if it is given.

    Rows have the number of their item as `of_item`. With `whole`, an item's rows are never split, so that nobody
    learns their order: a page may then be longer than `size`.
    """
    items = Item.objects.filter(study=study, **{"pk__gt" if after[1] == LAST else "pk__gte": after[0]})
    window = [item] if item is not None else list(items.order_by("pk").values_list("pk", flat=True)[: WINDOW + 1])
    more, window = len(window) > WINDOW, window[:WINDOW]
    after = (after[0], LAST) if whole and after != START else after
    there = rows.filter(**{f"{path}__in": window})
    there = there.filter(Q(**{f"{path}__gt": after[0]}) | Q(**{path: after[0]}, pk__gt=after[1]))
    found = list(there.order_by(path, "pk")[: size + 1])
    if len(found) <= size:
        return KeysetPage(found, (window[-1], LAST) if more else None)
    cut = found[size].of_item
    if not whole:
        return KeysetPage(found[:size], (found[size - 1].of_item, found[size - 1].pk))
    before = [row for row in found if row.of_item != cut]
    if before:
        return KeysetPage(before, (before[-1].of_item, LAST))
    return KeysetPage(list(there.filter(**{path: cut}).order_by("pk")), (cut, LAST))


def by_time(
    window: QuerySet[Any], time: str, since: datetime, after: tuple[int, int], size: int,
    rows_of: Callable[[list[int]], QuerySet[Any]],
) -> KeysetPage:  # fmt: skip
    """A page in the order of `time`, from `since` on: `window` has an index in this order, `rows_of` what fits."""
    start = EPOCH + min(after[0], LATEST) * TICK if after != START else since
    ahead = window.filter(**{f"{time}__gte": max(start, since)})
    if after != START:
        ahead = ahead.filter(Q(**{f"{time}__gt": start}) | Q(**{time: start}, pk__gt=after[1]))
    read = list(ahead.order_by(time, "pk").values_list("pk", time)[: WINDOW + 1])
    more, read = len(read) > WINDOW, read[:WINDOW]
    found = list(rows_of([pk for pk, _ in read]).order_by(time, "pk")[: size + 1])
    if len(found) > size:
        return KeysetPage(found[:size], (_ticks(getattr(found[size - 1], time)), found[size - 1].pk))
    return KeysetPage(found, (_ticks(read[-1][1]), read[-1][0]) if more else None)


def _ticks(at: datetime) -> int:
    return (at - EPOCH) // TICK


def numbered(rows: QuerySet[Any], number: int) -> Model | None:
    """The row with this primary key, if it is among `rows`."""
    found: Model | None = rows.filter(pk=number).first() if number <= LAST else None
    return found
