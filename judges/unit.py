"""A unit that a run will judge."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedUnit:
    """Primary keys of an item and of up to two outputs, and the keys of the outputs in the order shown.

    `name` is the unit's own, without primary keys or order, from which parts and orders are drawn.
    """

    item: int
    name: str
    order: tuple[str, ...] = ()
    output: int | None = None
    other: int | None = None
    variant: str = ""
