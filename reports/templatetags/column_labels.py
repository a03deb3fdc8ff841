"""A filter with which tables name each cell's column, as phones show it."""

from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

from django import template

register = template.Library()


@register.filter
def beside(cells: Iterable[Any], columns: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Each cell with its column; "" beside a cell without one. Columns left over are of cells further on in the row."""
    listed = list(cells)
    return list(zip_longest(listed, list(columns)[: len(listed)], fillvalue=""))
