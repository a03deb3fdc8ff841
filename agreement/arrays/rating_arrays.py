"""The ratings of one question as flat arrays, from which every figure of this package is computed."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from agreement.arrays.pair_sides import Floats, Ints, Sides

NO_SYSTEM = -1
"""System code of a unit that is not a single output: a whole task, or a pair of outputs."""


@dataclass(frozen=True)
class Ratings:
    """All current answers to one question, in the order of their submission.

    Shapes: `unit`, `rater` and `value` are (R,), one entry per rating; `item` and `system` are (U,), one entry per
    unit. A unit is what gets one rating: an output of an item (`system` is its code), or a task (`NO_SYSTEM`).

    Codes count from 0; units without a rating are allowed. `value` is finite but need not be on the question's scale.
    For a category question `value` has codes into `categories`, which is empty otherwise. For choices within pairs,
    `sides` says which values are exchangeable (`agreement.arrays.pair_sides`).

    Raises ValueError for other shapes, codes or values.
    """

    unit: Ints
    rater: Ints
    value: Floats
    item: Ints
    system: Ints
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    categories: tuple[str, ...] = ()
    sides: Sides | None = None

    def __post_init__(self) -> None:
        if not (self.unit.shape == self.rater.shape == self.value.shape == (self.value.size,)):
            raise ValueError("unit, rater and value must be flat and of one length")
        if not (self.item.shape == self.system.shape == (self.item.size,)):
            raise ValueError("item and system must be flat and of one length")
        _check_codes("unit", self.unit, 0, self.item.size)
        _check_codes("rater", self.rater, 0, len(self.raters))
        _check_codes("item", self.item, 0, None)
        _check_codes("system", self.system, NO_SYSTEM, len(self.systems))
        if not np.isfinite(self.value).all():
            raise ValueError("a value is not a finite number")
        if self.categories and not np.isin(self.value, np.arange(len(self.categories))).all():
            raise ValueError("a value is not the code of a category")

    def latest(self) -> "Ratings":
        """The ratings without repeats: the last one per rater and unit."""
        key = self.unit * max(len(self.raters), 1) + self.rater
        ordered = np.sort(key)
        if not (ordered[1:] == ordered[:-1]).any():
            return self
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        keep = np.sort(order[np.append(ordered[1:] != ordered[:-1], True)])
        return replace(self, unit=self.unit[keep], rater=self.rater[keep], value=self.value[keep])

    def of_items(self, keep: NDArray[np.bool_]) -> "Ratings":
        """The ratings of the items with a true `keep`, (I,)."""
        kept = keep[self.item[self.unit]]
        return replace(self, unit=self.unit[kept], rater=self.rater[kept], value=self.value[kept])


def _check_codes(name: str, codes: Ints, low: int, end: int | None) -> None:
    if not np.issubdtype(codes.dtype, np.integer):
        raise ValueError(f"{name} codes must be integers")
    if codes.size and (codes.min() < low or (end is not None and codes.max() >= end)):
        raise ValueError(f"a {name} code is out of range")


def collect(
    items: Sequence[Hashable],
    outputs: Sequence[str | None],
    raters: Sequence[str],
    values: ArrayLike,
    categories: Sequence[str] = (),
) -> Ratings:
    """Ratings from four columns of equal length, one row per answer, in the order of submission.

    `outputs` has None for an answer about the whole task. Raters and systems are numbered by name, items and units in
    the order in which they appear.

    Raises ValueError if the columns differ in length or a value is not finite.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if not (len(items) == len(outputs) == len(raters) == numbers.size):
        raise ValueError("the columns differ in length")
    rater_names = tuple(sorted(set(raters)))
    system_names = tuple(sorted({output for output in outputs if output is not None}))
    rater_code = {name: code for code, name in enumerate(rater_names)}
    system_code: dict[str | None, int] = {name: code for code, name in enumerate(system_names)}
    item_code: dict[Hashable, int] = {}
    unit_code: dict[tuple[int, int], int] = {}
    unit = np.empty(numbers.size, dtype=np.int64)
    for row, (item, output) in enumerate(zip(items, outputs, strict=True)):
        pair = (item_code.setdefault(item, len(item_code)), system_code.get(output, NO_SYSTEM))
        unit[row] = unit_code.setdefault(pair, len(unit_code))
    return Ratings(
        unit=unit,
        rater=_ints([rater_code[name] for name in raters]),
        value=numbers,
        item=_ints([item for item, _ in unit_code]),
        system=_ints([system for _, system in unit_code]),
        raters=rater_names,
        systems=system_names,
        categories=tuple(categories),
    )


def _ints(codes: list[Any]) -> Ints:
    return np.array(codes, dtype=np.int64)
