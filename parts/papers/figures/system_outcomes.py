"""Outcomes between two systems, one per judged pair of outputs of an item: a win, a tie or a loss.

A pair that was judged several times, such as in both orders, counts once: its win, tie and loss are the shares of its
judgments.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Key, Shares
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs

NOT_COMPARED = "no pair of outputs of these systems was judged"
OUTCOMES = ("win", "tie", "loss")


@dataclass(frozen=True)
class SystemOutcomes:
    """The judged pairs, seen from the `first` of the two systems.

    Shapes: `item`, `first` and `second` are (P,), codes of the item and of the two systems; `shares` is (P, 3), the
    win, tie and loss of `first`, with a sum of 1; `words` is (P, 2), the lengths of the two outputs, NaN if unknown.
    `items` is the number of items.
    """

    item: Ints
    first: Ints
    second: Ints
    shares: Floats
    words: Floats
    systems: tuple[str, ...]
    items: int

    def only(self, keep: np.ndarray) -> "SystemOutcomes":
        """The pairs with a true `keep`, (P,)."""
        return SystemOutcomes(
            self.item[keep], self.first[keep], self.second[keep], self.shares[keep], self.words[keep], self.systems,
            self.items,
        )  # fmt: skip

    def against(self, baseline: str) -> "SystemOutcomes":
        """The pairs with an output of `baseline`, which becomes the second system.

        Raises ValueError for an unknown system.
        """
        if baseline not in self.systems:
            raise ValueError(f"{baseline!r} is none of the systems")
        code = self.systems.index(baseline)
        own = self.only((self.first == code) | (self.second == code))
        turn = own.first == code
        return SystemOutcomes(
            own.item,
            np.where(turn, own.second, own.first),
            np.where(turn, own.first, own.second),
            np.where(turn[:, None], own.shares[:, ::-1], own.shares),
            np.where(turn[:, None], own.words[:, ::-1], own.words),
            self.systems,
            self.items,
        )


def system_outcomes(choices: OutputChoices, outputs: Outputs) -> SystemOutcomes:
    """The outcomes of a judge's choices, or of people's, by the pairs that they are about."""
    pair, code = np.unique(choices.pair(outputs), return_inverse=True)
    counts = sum_by(code * 3 + choices.choice, np.ones(code.size), pair.size * 3).reshape(-1, 3)
    shares = counts[:, [0, 2, 1]] / np.maximum(counts.sum(axis=1, keepdims=True), 1)  # FIRST, TIE, SECOND
    first, second = np.divmod(pair, max(outputs.size, 1))
    return SystemOutcomes(
        outputs.item[first],
        outputs.system[first],
        outputs.system[second],
        shares,
        np.stack([outputs.length[first], outputs.length[second]], axis=1),
        outputs.systems,
        outputs.items,
    )


def outcome_shares(outcomes: SystemOutcomes, group: Ints, names: Sequence[Key]) -> Shares:
    """The mean win, tie and loss of the pairs of each `group` (P,), at the group's name and the outcome's."""
    items, groups = outcomes.items, len(names)
    cell = outcomes.item * groups + group
    sums = [sum_by(cell, column, items * groups).reshape(items, groups) for column in outcomes.shares.T]
    pairs = np.bincount(cell, minlength=items * groups).reshape(items, groups).astype(np.float64)
    return Shares(
        keys=tuple((*name, outcome) for name in names for outcome in OUTCOMES),
        numerator=np.stack(sums, axis=2).reshape(items, groups * 3),
        denominator=np.repeat(pairs, 3, axis=1),
        reasons=(NOT_COMPARED,) * (groups * 3),
    )


def mean_words(outcomes: SystemOutcomes) -> list[float] | None:
    """The mean lengths of both systems' outputs over the pairs with two known lengths; None if there is none."""
    known = outcomes.words[np.isfinite(outcomes.words).all(axis=1)]
    return [float(mean) for mean in known.mean(axis=0)] if known.size else None
