"""Counts of people without cells that are so small that they name somebody.

Cells are suppressed in groups of neighbours: pairs in the order of the cells, and the last three if their number is
odd. A group with a cell under LEAST is suppressed as a whole, so that nobody can compute the cell from the total. If
the suppressed cells count fewer than LEAST people together, so is the next group. Which cells go together never depends
on their counts: a rule that looks for the smallest second cell lets somebody who knows it conclude what that cell is.
"""

from collections.abc import Mapping

LEAST = 5


def safe_counts(counts: Mapping[str, int]) -> dict[str, int | None]:
    """Return the counts of cells that cover everybody once, with None for those that are suppressed.

    The total may then be shown as well. If it is itself under LEAST, all cells are suppressed, and it must not be.
    """
    names = list(counts)
    starts = range(0, max(len(names) - 1, 1), 2)
    groups = [names[start : start + 2] if start != starts[-1] else names[start:] for start in starts]
    hidden = [group for group in groups if any(counts[one] < LEAST for one in group)]
    while hidden and len(hidden) < len(groups) and sum(counts[one] for group in hidden for one in group) < LEAST:
        after = groups.index(hidden[-1]) + 1
        hidden.append(next(group for group in (*groups[after:], *groups[:after]) if group not in hidden))
    gone = {one for group in hidden for one in group}
    return {name: None if name in gone else count for name, count in counts.items()}


def safe_total(total: int) -> int | None:
    """Return a number of people, or None if it is under LEAST."""
    return total if total >= LEAST else None
