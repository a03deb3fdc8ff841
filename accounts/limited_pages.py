"""Pages of lists of any length: no page counts or joins more than a fixed number of rows."""

from functools import cached_property
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest


class LimitedPaginator(Paginator):
    """Pages of a list that ends after `most` rows, so that a page costs the same in a study of any size.

    The primary keys of these rows are read once: they are the count and the pages. Only a page's own rows are joined.
    """

    most = 5_000

    @cached_property
    def keys(self) -> list[Any]:
        """The primary keys of the list's first `most` rows, and of one more if there is one."""
        rows: Any = self.object_list
        return list(rows.values_list("pk", flat=True)[: self.most + 1])

    @cached_property
    def count(self) -> int:
        return len(self.keys) if isinstance(self.object_list, QuerySet) else len(self.object_list)

    def page(self, number: Any) -> Page:
        valid, rows = self.validate_number(number), self.object_list
        if not isinstance(rows, QuerySet):
            return super().page(number)
        bottom = (valid - 1) * self.per_page
        keys = self.keys[bottom : bottom + self.per_page]
        return self._get_page(rows.filter(pk__in=keys), valid, self)  # type: ignore[attr-defined]


class LimitedList(ChangeList):
    """A list of the admin that reads its rows by their keys also if they fit on one page."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.multi_page:
            self.result_list = self.paginator.page(1).object_list


def unsorted(request: HttpRequest) -> HttpRequest:
    """The request for a list of the admin without an order: its heading offers none, but addresses can be typed."""
    if "o" in request.GET:
        chosen = request.GET.copy()
        del chosen["o"]
        request.GET = chosen  # type: ignore[assignment]
    return request
