"""Parameters of which `make test` takes some, and `make thorough` all."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def first(values: Sequence[Any], kept: int = 1) -> list[Any]:
    """The first `kept` in `make test`. A tuple has a value for each name."""
    return _left_out(values, range(kept, len(values)))


def every(values: Sequence[Any], step: int) -> list[Any]:
    """Every `step`-th in `make test`, the first among them."""
    return _left_out(values, (place for place in range(len(values)) if place % step))


def _left_out(values: Sequence[Any], places: Iterable[int]) -> list[Any]:
    found = list(values)
    for place in places:
        given = found[place] if isinstance(found[place], tuple) else (found[place],)
        found[place] = pytest.param(*given, marks=pytest.mark.thorough)
    return found
