"""The probabilities that machines gave with their choices between two outputs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from annotation.machine_shapes import CHOICE
from annotation.models import Rating
from annotation.questions.preference import TIE
from reports.figures.rows import CHUNK
from reports.figures.rows.rated_items import RatedItems


@dataclass
class ChoiceWeights:
    """Choices, each from both sides: the item, the system, the weight of its output, and whether it won, tied or lost.

    `has_weights` says whether any choice has probabilities.
    """

    items: list[int] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    won: list[float] = field(default_factory=list)
    has_weights: bool = False


def choice_weights(rated: RatedItems, complete: Iterable[tuple[str, QuerySet[Rating]]]) -> ChoiceWeights:
    """The choices in a machine's reruns."""
    found, parsed = ChoiceWeights(), cache(rated.read)
    for level, rows in complete:
        if level != CHOICE:
            continue
        texts = rows.annotate(raw_value=Cast("value", TextField()), raw_weights=Cast("distribution", TextField()))
        columns = ("item_id", "output_id", "other_output_id", "raw_value", "raw_weights")
        for item, one, other, value, raw in texts.order_by("pk").values_list(*columns).iterator(chunk_size=CHUNK):
            pair, winner = (rated.systems[one], rated.systems[other]), parsed(value)
            won = 0.5 if winner not in pair else float(winner == pair[0])
            weight = None if raw is None else _weight(parsed(raw), pair)
            found.has_weights |= weight is not None
            first = won if weight is None else weight
            found.items += [item, item]
            found.systems += pair
            found.weights += [first, 1 - first]
            found.won += [won, 1 - won]
    return found


def _weight(distribution: Any, pair: tuple[str, str]) -> float | None:
    """The probability of the first of a pair, half of a tie's added; None unless both outputs have one."""
    if not isinstance(distribution, Mapping) or not set(pair) <= distribution.keys():
        return None
    given = [distribution[pair[0]], distribution[pair[1]], distribution.get(TIE, 0)]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1 for one in given):
        return None
    total = sum(given)
    return float((given[0] + given[2] / 2) / total) if total > 0 else None
