"""Holm's step-down correction of p-values for their number (Holm 1979)."""

from collections.abc import Sequence
from typing import Any


def holm(p: Sequence[float | None]) -> list[float | None]:
    """The corrected p-values, in the same order; None stays None and does not count."""
    given = sorted((value, place) for place, value in enumerate(p) if value is not None)
    corrected: list[float | None] = [None] * len(p)
    highest = 0.0
    for rank, (value, place) in enumerate(given):
        highest = max(highest, min(1.0, value * (len(given) - rank)))
        corrected[place] = highest
    return corrected


def add_holm(rows: Sequence[dict[str, Any]], tests: Sequence[str]) -> None:
    """Add to each row the corrected p-value of each test, as `<test>_holm`."""
    for test in tests:
        corrected = holm([row[test] for row in rows])
        for row, p in zip(rows, corrected, strict=True):
            row[f"{test}_holm"] = p
