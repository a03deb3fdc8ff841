"""Judgments of pairs of outputs, as flat arrays: which of two outputs of an item is better, or a tie."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints, Ratings
from agreement.arrays.tally import sum_by

FIRST, SECOND, TIE = 0, 1, 2
"""A choice within its pair; which output is the first means nothing (`agreement.arrays.pair_sides`)."""
CHOICES = ("first", "second", "tie")
UNKNOWN = -1
"""The order in which outputs were shown, or the position of one, is not known."""
SIDES = Sides(values=np.array([FIRST, SECOND, TIE], dtype=np.float64), mirror=np.array([SECOND, FIRST, TIE]))
"""First and second are exchangeable."""


@dataclass(frozen=True)
class PairChoices:
    """All current judgments of pairs, in the order of their submission.

    Shapes: `pair`, `rater`, `choice` and `shown_first` are (R,), one entry per judgment; `item`, `first` and `second`
    are (P,), one entry per pair of outputs of an item; `length` is (P, 2), the lengths of the two outputs in any unit,
    NaN if unknown.

    `choice` is FIRST, SECOND or TIE; `shown_first` is the output shown first on the rater's page, FIRST, SECOND or
    UNKNOWN. `systems` is sorted and `first` < `second`, so each pair has one form. With `by_name`, first and second are
    told apart by this order in figures corrected for chance, as older printed tables do; otherwise they are
    exchangeable.

    Raises ValueError for other shapes or codes.
    """

    pair: Ints
    rater: Ints
    choice: Ints
    shown_first: Ints
    item: Ints
    first: Ints
    second: Ints
    length: Floats
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    by_name: bool = False

    def __post_init__(self) -> None:
        judgments, pairs = (self.pair.size,), (self.item.size,)
        if any(array.shape != judgments for array in (self.pair, self.rater, self.choice, self.shown_first)):
            raise ValueError("pair, rater, choice and shown_first must be flat and of one length")
        if any(array.shape != pairs for array in (self.item, self.first, self.second)):
            raise ValueError("item, first and second must be flat and of one length")
        if self.length.shape != (self.item.size, 2):
            raise ValueError("length must have two numbers per pair")
        if not np.isin(self.choice, (FIRST, SECOND, TIE)).all():
            raise ValueError("a choice must be first, second or tie")
        if not np.isin(self.shown_first, (FIRST, SECOND, UNKNOWN)).all():
            raise ValueError("shown_first must be first, second or unknown")
        if (self.first >= self.second).any():
            raise ValueError("a pair must have two different outputs, in the order of their codes")
        for code, end in ((self.pair, self.item.size), (self.rater, len(self.raters)), (self.second, self.system_end)):
            if code.size and (code.min() < 0 or code.max() >= end):
                raise ValueError("a code of a pair, rater or system is out of range")

    @property
    def system_end(self) -> int:
        return len(self.systems)

    @property
    def sides(self) -> Sides | None:
        """Which choices are exchangeable; None if first and second are told apart."""
        return None if self.by_name else SIDES

    def ratings(self) -> Ratings:
        """The judgments as ratings FIRST, SECOND or TIE, with pairs as units."""
        return Ratings(
            unit=self.pair,
            rater=self.rater,
            value=self.choice.astype(np.float64),
            item=self.item,
            system=np.full(self.item.size, NO_SYSTEM),
            raters=self.raters,
            systems=(),
            sides=self.sides,
        )

    def of_items(self, keep: np.ndarray) -> "PairChoices":
        """The judgments of the items with a true `keep`, (I,)."""
        return self._only(keep[self.item[self.pair]])

    def judged(self) -> "PairChoices":
        """The same judgments, with only the pairs and items that have any, renumbered."""
        judged, pair = np.unique(self.pair, return_inverse=True)
        _, item = np.unique(self.item[judged], return_inverse=True)
        return replace(
            self,
            pair=pair.astype(np.int64),
            item=item.astype(np.int64),
            first=self.first[judged],
            second=self.second[judged],
            length=self.length[judged],
        )

    def points(self) -> tuple[Ints, Ints, Floats]:
        """Item, system and mean points of each output: 1 per win, 1/2 per tie, 0 per loss."""
        won = np.array([1.0, 0.0, 0.5])[self.choice]
        system = np.concatenate([self.first[self.pair], self.second[self.pair]])
        own = np.tile(self.item[self.pair], 2) * max(self.system_end, 1) + system
        output, code = np.unique(own, return_inverse=True)
        total = sum_by(code, np.concatenate([won, 1 - won]), output.size)
        item, system = np.divmod(output, max(self.system_end, 1))
        return item, system, total / np.maximum(np.bincount(code, minlength=output.size), 1)

    def _only(self, keep: np.ndarray) -> "PairChoices":
        return replace(
            self,
            pair=self.pair[keep],
            rater=self.rater[keep],
            choice=self.choice[keep],
            shown_first=self.shown_first[keep],
        )


def collect_choices(
    items: Sequence[Hashable],
    outputs: Sequence[tuple[str, str]],
    raters: Sequence[str],
    winners: Sequence[str | None],
    shown_first: Sequence[str | None] | None = None,
    lengths: Mapping[tuple[Hashable, str], float] | None = None,
) -> PairChoices:
    """Choices from columns of equal length, one row per judgment, in the order of submission.

    `outputs` has the two output ids in either order, `winners` one of them or None for a tie, `shown_first` the id
    shown first or None, `lengths` the length of outputs by item and id. Items and pairs are numbered in the order in
    which they appear, raters and systems by name.

    Raises ValueError if the columns differ in length or a winner is not in its pair.
    """
    shown = [None] * len(items) if shown_first is None else shown_first
    if len({len(items), len(outputs), len(raters), len(winners), len(shown)}) > 1:
        raise ValueError("the columns differ in length")
    rater_names = tuple(sorted(set(raters)))
    system_names = tuple(sorted({output for pair in outputs for output in pair}))
    rater_code = {name: code for code, name in enumerate(rater_names)}
    system_code = {name: code for code, name in enumerate(system_names)}
    item_code: dict[Hashable, int] = {}
    pair_code: dict[tuple[Hashable, str, str], int] = {}
    rows = np.empty((len(items), 3), dtype=np.int64)
    for row, (item, (a, b), winner, on_top) in enumerate(zip(items, outputs, winners, shown, strict=True)):
        item_code.setdefault(item, len(item_code))
        key = (item, min(a, b), max(a, b))
        place = {key[1]: FIRST, key[2]: SECOND}
        if (winner is not None and winner not in place) or (on_top is not None and on_top not in place):
            raise ValueError("a winner or an output shown first is not in its pair")
        chosen = TIE if winner is None else place[winner]
        rows[row] = pair_code.setdefault(key, len(pair_code)), chosen, UNKNOWN if on_top is None else place[on_top]
    known = lengths or {}
    length = [[known.get((item, a), np.nan), known.get((item, b), np.nan)] for item, a, b in pair_code]
    return PairChoices(
        pair=rows[:, 0],
        rater=np.array([rater_code[name] for name in raters], dtype=np.int64),
        choice=rows[:, 1],
        shown_first=rows[:, 2],
        item=np.array([item_code[item] for item, _, _ in pair_code], dtype=np.int64),
        first=np.array([system_code[a] for _, a, _ in pair_code], dtype=np.int64),
        second=np.array([system_code[b] for _, _, b in pair_code], dtype=np.int64),
        length=np.array(length, dtype=np.float64).reshape(len(pair_code), 2),
        raters=rater_names,
        systems=system_names,
    )
