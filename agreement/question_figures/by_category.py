"""The figures of any question, for each category of items."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class HasItems(Protocol):
    """Data that can be restricted to some items: ratings, rankings, choices, spans."""

    def of_items(self, keep: NDArray[np.bool_]) -> Any:
        """The data of the items with a true `keep`, (I,)."""


Data = TypeVar("Data", bound=HasItems)
Result = TypeVar("Result")


def by_category(
    data: Data, categories: Sequence[Sequence[str]], figures: Callable[[Data], Result]
) -> dict[str, Result]:
    """The `figures` of each category's items, by the category's name, in order.

    `categories` has the category names of each item, by the item's code. An item with several categories counts in
    each of them, one without a category in none.
    """
    names = sorted({name for own in categories for name in own})
    return {name: figures(data.of_items(np.array([name in own for own in categories]))) for name in names}
