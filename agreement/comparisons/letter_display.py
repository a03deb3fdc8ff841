"""Letters that show which systems differ: two systems share a letter exactly if they do not differ significantly.

The letters are the groups that inserting and absorbing gives (Piepho 2004, An Algorithm for a Letter-Based
Representation of All-Pairwise Comparisons, Journal of Computational and Graphical Statistics 13(2)).
"""

from collections.abc import Collection, Sequence
from string import ascii_lowercase

MOST_GROUPS = 52
TOO_MANY_GROUPS = f"the comparisons would need more than {MOST_GROUPS} letters"


def letter_display(names: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str] | None:
    """The letters of each name; `names` are from best to worst, `different` the pairs that differ.

    Letters follow the order of `names`: the first name has an a. After z come aa, ab …, written in parentheses. None
    if more than MOST_GROUPS groups would be needed. Raises ValueError for a pair of unknown names.
    """
    place = {name: number for number, name in enumerate(names)}
    if any(len(pair) != 2 or not pair <= place.keys() for pair in different):
        raise ValueError("a pair has an unknown name")
    groups: list[frozenset[int]] = [frozenset(place.values())] if names else []
    for one, other in sorted(sorted(place[name] for name in pair) for pair in different):
        split = [group for group in groups if one in group and other in group]
        kept = [group for group in groups if group not in split]
        parts = {group - {out} for group in split for out in (one, other)}
        groups = _absorbed([*kept, *parts])
        if len(groups) > MOST_GROUPS:
            return None
    ordered = sorted(groups, key=sorted)
    letters: dict[str, str] = dict.fromkeys(names, "")
    for number, group in enumerate(ordered):
        for member in sorted(group):
            letters[names[member]] += _letter(number)
    return letters


def _absorbed(groups: Collection[frozenset[int]]) -> list[frozenset[int]]:
    """The groups that are part of no other."""
    distinct = set(groups)
    return [group for group in distinct if not any(group < other for other in distinct)]


def _letter(number: int) -> str:
    if number < len(ascii_lowercase):
        return ascii_lowercase[number]
    first, second = divmod(number - len(ascii_lowercase), len(ascii_lowercase))
    return f"({ascii_lowercase[first]}{ascii_lowercase[second]})"
