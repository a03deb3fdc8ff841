"""Counts of people without cells that are so small that they name somebody.

A cell under LEAST is suppressed. So that nobody can compute it from the total, further cells are suppressed, smallest
first, until at least two are and they count at least LEAST people together.
"""

from collections.abc import Mapping

LEAST = 5


def safe_counts(counts: Mapping[str, int]) -> dict[str, int | None]:
    """Return the counts of cells that cover everybody once, with None for those that are suppressed.

    The total may then be shown as well. If it is itself under LEAST, all cells are suppressed, and it must not be.
    """
    hidden = {name for name, count in counts.items() if count < LEAST}
    if not hidden:
        return dict(counts)
    for name in sorted(counts, key=lambda one: (counts[one], one)):
        if len(hidden) > 1 and sum(counts[one] for one in hidden) >= LEAST:
            break
        hidden.add(name)
    return {name: None if name in hidden else count for name, count in counts.items()}


def safe_total(total: int) -> int | None:
    """Return a number of people, or None if it is under LEAST."""
    return total if total >= LEAST else None
