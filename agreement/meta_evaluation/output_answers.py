"""Answers about the outputs of items as arrays, in two views: scores of single outputs, and choices between two.

Higher is better in both. Conversions go one way at a time: scores and rankings become choices, rankings become s_i,
choices become points.
"""

from dataclasses import dataclass, replace

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, SIDES, TIE, UNKNOWN
from agreement.arrays.pair_sides import Sides
from agreement.arrays.rankings import pairs_within
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.systems.expected_ranks import BITS

LARGE = 2.0**900
NOWHERE = -1
"""The new code of an output that is left out."""


@dataclass(frozen=True)
class Outputs:
    """All outputs of a study's items, ordered by item and then by system.

    Shapes: `item`, `system` and `length` are (O,): the item and the system as codes from 0, and the length in words.
    `systems` is sorted; `items` is the number of items, some of which may have no output. With `by_name`, first and
    second of a pair are told apart by the order of the systems in figures corrected for chance
    (`agreement.arrays.pair_sides`).

    Raises ValueError for other shapes, codes or orders.
    """

    item: Ints
    system: Ints
    length: Floats
    systems: tuple[str, ...]
    items: int
    by_name: bool = False

    def __post_init__(self) -> None:
        if not (self.item.shape == self.system.shape == self.length.shape == (self.item.size,)):
            raise ValueError("item, system and length must be flat and of one length")
        if (np.diff(self.item * max(len(self.systems), 1) + self.system) <= 0).any():
            raise ValueError("outputs must be ordered by item, then by system, with each system once per item")
        if self.item.size and (self.item.min() < 0 or self.item.max() >= self.items):
            raise ValueError("an item code is out of range")
        if self.system.size and (self.system.min() < 0 or self.system.max() >= len(self.systems)):
            raise ValueError("a system code is out of range")

    @property
    def size(self) -> int:
        return self.item.size

    @property
    def sides(self) -> Sides | None:
        """Which choices within pairs are exchangeable; None if first and second are told apart."""
        return None if self.by_name else SIDES

    def of_items(self, keep: np.ndarray) -> tuple["Outputs", Ints]:
        """The outputs of the items with a true `keep` (I,), renumbered, and the new code of each old one, (O,)."""
        kept = keep[self.item]
        item = (np.cumsum(keep) - 1)[self.item[kept]]
        code = np.where(kept, np.cumsum(kept) - 1, NOWHERE)
        return replace(self, item=item, system=self.system[kept], length=self.length[kept], items=int(keep.sum())), code


@dataclass(frozen=True)
class OutputScores:
    """Scores of single outputs, in the order of submission: `output`, `rater` and `value` are (R,).

    `output` and `rater` are codes from 0, `value` is finite.
    """

    output: Ints
    rater: Ints
    value: Floats
    raters: tuple[str, ...]

    def latest(self) -> "OutputScores":
        """Only the last score of each rater for each output."""
        return self.only(_last_of(self.output * max(len(self.raters), 1) + self.rater))

    def only(self, keep: Ints | np.ndarray) -> "OutputScores":
        return replace(self, output=self.output[keep], rater=self.rater[keep], value=self.value[keep])

    def recoded(self, code: Ints) -> "OutputScores":
        """The scores under new codes of outputs, (O,), without those that are NOWHERE."""
        kept = self.only(code[self.output] != NOWHERE)
        return replace(kept, output=code[kept.output])

    def means(self, outputs: Outputs) -> Floats:
        """The mean score of each output, (O,), NaN without a score."""
        return means_by(self.output, self.value, outputs.size)

    def choices(self, outputs: Outputs) -> "OutputChoices":
        """Each rater's scores of an item's outputs as choices: the higher score is better, equal scores tie."""
        order = np.lexsort((self.output, outputs.item[self.output], self.rater))
        output, rater, value = self.output[order], self.rater[order], rounded(self.value[order])
        group = rater * outputs.items + outputs.item[output]
        size = np.diff(np.flatnonzero(np.append(True, group[1:] != group[:-1])), append=group.size)
        one, other = pairs_within(size if group.size else np.zeros(0, dtype=np.int64))
        return OutputChoices(
            first=output[one],
            second=output[other],
            rater=rater[one],
            choice=choice_of(value[one], value[other]),
            shown_first=np.full(one.size, UNKNOWN),
            raters=self.raters,
        )


@dataclass(frozen=True)
class OutputChoices:
    """Choices between two outputs of an item, in the order of submission.

    Shapes: all arrays are (R,). `first` < `second` are codes of outputs, so each pair has one form; `choice` is FIRST,
    SECOND or TIE; `shown_first` is FIRST, SECOND or UNKNOWN.

    Raises ValueError for a pair in the other form.
    """

    first: Ints
    second: Ints
    rater: Ints
    choice: Ints
    shown_first: Ints
    raters: tuple[str, ...]

    def __post_init__(self) -> None:
        if (self.first >= self.second).any():
            raise ValueError("a pair must have two different outputs, in the order of their codes")

    def pair(self, outputs: Outputs) -> Ints:
        """A code of each choice's pair, (R,), the same for the same two outputs."""
        return self.first * outputs.size + self.second

    def latest(self, outputs: Outputs) -> "OutputChoices":
        """Only the last choice of each rater for each pair."""
        _, pair = np.unique(self.pair(outputs), return_inverse=True)
        return self.only(_last_of(pair * max(len(self.raters), 1) + self.rater))

    def only(self, keep: Ints | np.ndarray) -> "OutputChoices":
        return replace(
            self,
            first=self.first[keep],
            second=self.second[keep],
            rater=self.rater[keep],
            choice=self.choice[keep],
            shown_first=self.shown_first[keep],
        )

    def recoded(self, code: Ints) -> "OutputChoices":
        """The choices under new codes of outputs, (O,), in the same order, without those that are NOWHERE."""
        kept = self.only((code[self.first] != NOWHERE) & (code[self.second] != NOWHERE))
        return replace(kept, first=code[kept.first], second=code[kept.second])

    def scores(self, outputs: Outputs) -> OutputScores:
        """The mean points of each rater's outputs over the pairs that the rater judged: 2 a win, 1 a tie, 0 a loss."""
        won = np.array([2.0, 0.0, 1.0])[self.choice]
        output = np.concatenate([self.first, self.second])
        own, code = np.unique(np.tile(self.rater, 2) * outputs.size + output, return_inverse=True)
        total = sum_by(code, np.concatenate([won, 2 - won]), own.size)
        rater, output = np.divmod(own, max(outputs.size, 1))
        return OutputScores(output, rater, total / np.bincount(code, minlength=own.size), self.raters)


def rounded(value: Floats) -> Floats:
    """Values to 40 significant bits (12 digits), so that rounding errors break no tie; NaN stays."""
    mantissa, exponent = np.frexp(value)
    return np.ldexp(np.round(mantissa * 2**BITS) / 2**BITS, exponent)


def summable(value: Floats) -> Floats:
    """Finite values as they are, or all over 2 ** 100 if sums of them could be infinite, which changes no order."""
    return value if np.abs(value).max(initial=0) < LARGE else np.asarray(value / 2.0**100)


def choice_of(one: Floats, other: Floats) -> Ints:
    """FIRST where `one` is higher, SECOND where `other` is, TIE where they are equal."""
    return np.where(one > other, FIRST, np.where(one < other, SECOND, TIE)).astype(np.int64)


def means_by(code: Ints, value: Floats, codes: int) -> Floats:
    """The mean of `value` (N,) for each `code` (N,) in 0..`codes`-1, (codes,), NaN if there is none."""
    count = np.bincount(code, minlength=codes)
    total = sum_by(code, value, codes)
    return np.divide(total, count, out=np.full(codes, np.nan), where=count > 0)


def _last_of(key: Ints) -> Ints:
    """The places, ascending, of the last entry of each key."""
    _, last = np.unique(key[::-1], return_index=True)
    return np.sort(key.size - 1 - last)
