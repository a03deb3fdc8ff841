"""Scores of outputs, one number each, from which systems are ranked and compared."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from agreement.arrays.best_worst_answers import BestWorstAnswers
from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Key, Ratios, Shares
from agreement.systems.system_means import unit_means

NOT_SCORED = "no output of the system was judged"


@dataclass(frozen=True)
class ScoresOfOutputs:
    """One score per judged output, (N,) each: its item, its system, its score and its words (NaN if unknown).

    An item has at most one output of a system; items and systems are codes from 0. Scores are finite: higher is better.
    `items` is the number of codes of items. If they `are_shares`, scores are in 0..1.
    """

    item: Ints
    system: Ints
    score: Floats
    words: Floats
    systems: tuple[str, ...]
    items: int
    are_shares: bool = False

    def of_systems(self, keep: NDArray[np.bool_]) -> "ScoresOfOutputs":
        """The scores of the systems with a true `keep`, (S,), with systems renumbered and items as they are."""
        code = np.cumsum(keep) - 1
        rows = keep[self.system]
        names = tuple(name for name, kept in zip(self.systems, keep.tolist(), strict=True) if kept)
        return ScoresOfOutputs(
            self.item[rows],
            code[self.system[rows]],
            self.score[rows],
            self.words[rows],
            names,
            self.items,
            self.are_shares,
        )

    def table(self) -> Floats:
        """The scores of items by systems, (I, S), NaN if an item has no output of the system."""
        table = np.full((self.items, len(self.systems)), np.nan)
        table[self.item, self.system] = self.score
        return table

    def means(self, name: str = "mean") -> Ratios:
        """The mean score of each system's outputs, under the keys (name, system)."""
        cell, shape = self.item * len(self.systems) + self.system, (self.items, len(self.systems))
        size = shape[0] * shape[1]
        keys: tuple[Key, ...] = tuple((name, system) for system in self.systems)
        return (Shares if self.are_shares else Ratios)(
            keys=keys,
            numerator=sum_by(cell, self.score, size).reshape(shape),
            denominator=np.bincount(cell, minlength=size).reshape(shape).astype(np.float64),
            reasons=(NOT_SCORED,) * len(keys),
        )


def _scores(item: Ints, system: Ints, score: Floats, words: Floats, systems: tuple[str, ...]) -> ScoresOfOutputs:
    """The scores that are finite, with items renumbered from 0."""
    kept = np.isfinite(score)
    known, code = np.unique(item[kept], return_inverse=True)
    return ScoresOfOutputs(code.astype(np.int64), system[kept], score[kept], words[kept], systems, known.size)


def scores_of_ratings(ratings: Ratings, words: Floats) -> ScoresOfOutputs:
    """Each output at its mean rating, repeats included; `words` is (U,), NaN if unknown."""
    with np.errstate(over="ignore", invalid="ignore"):
        item, system, score = unit_means(ratings)
    rated = np.bincount(ratings.unit, minlength=ratings.item.size) > 0
    return _scores(item, system, score, words[(ratings.system >= 0) & rated], ratings.systems)


def scores_of_rankings(rankings: Rankings) -> ScoresOfOutputs:
    """Each output at its mean s_i over the rankings of its item, repeats included."""
    systems = max(len(rankings.systems), 1)
    key, first, code = np.unique(
        rankings.item[rankings.ranking] * systems + rankings.system, return_index=True, return_inverse=True
    )
    item, system = np.divmod(key, systems)
    total = sum_by(code, rankings.scores(), key.size)
    score = total / np.maximum(np.bincount(code, minlength=key.size), 1)
    return _scores(item, system, score, rankings.length[first], rankings.systems)


def scores_of_best_worst(answers: BestWorstAnswers) -> ScoresOfOutputs:
    """Each output at its mean points: 1 as the best, -1 as the worst, 0 otherwise; repeats included."""
    item, system, points = answers.mean_points()
    return _scores(item, system, points, np.full(points.size, np.nan), answers.systems)


def scores_of_choices(choices: PairChoices) -> ScoresOfOutputs:
    """Each output at its mean points: 1 per win, 1/2 per tie, 0 per loss."""
    item, system, points = choices.points()
    systems = max(len(choices.systems), 1)
    keys = np.concatenate([choices.item * systems + choices.first, choices.item * systems + choices.second])
    known, first = np.unique(keys, return_index=True)
    lengths = np.concatenate([choices.length[:, 0], choices.length[:, 1]])[first]
    words = lengths[np.searchsorted(known, item * systems + system)]
    return replace(_scores(item, system, points, words, choices.systems), are_shares=True)
