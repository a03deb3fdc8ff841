"""Any report for each category of items."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class HasItems(Protocol):
    """Data that can be cut down to some items: ratings, rankings, choices, spans."""

    def of_items(self, keep: NDArray[np.bool_]) -> Any:
        """The data of the items whose `keep`, (I,), is true."""


Data = TypeVar("Data", bound=HasItems)
Result = TypeVar("Result")


def by_category(
    data: Data, categories: Sequence[Sequence[str]], figures: Callable[[Data], Result]
) -> dict[str, Result]:
    """`figures` of the items of each category, by the category's name in order.

    `categories` holds the names of each item by its code; an item of several counts in each, one of none in none.
    """
    names = sorted({name for own in categories for name in own})
    return {name: figures(data.of_items(np.array([name in own for own in categories]))) for name in names}
