"""The figures that stop rules watch, from a question's data: alpha, win rates and scores, each with its error."""

from itertools import combinations

import numpy as np

from agreement.arrays.best_worst_answers import BestWorstAnswers
from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rating_arrays import Ratings
from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.intervals.bootstrap import Ratios
from agreement.question_figures.best_worst_report import best_worst_counts
from agreement.reliability.alpha import Level, alpha_sums
from agreement.systems.win_matrix import meetings_of_choices, meetings_of_scores, win_shares
from parts.stopping.figures.jackknife import MOST_GROUPS, JackknifeErrors, jackknife
from parts.stopping.figures.sequential_looks import StopTarget

ADDED = 2
"""Wins, and as many losses, added to a win rate for its interval: a rate of 0 or 1 has an error then, too (Agresti and
Coull 1998, The American Statistician 52:119-126)."""

NAMED_FIRST = ("mean", "system_best_worst")
"""Figures whose keys end with the system."""


def alpha_target(ratings: Ratings, level: Level) -> tuple[int, list[StopTarget]]:
    """Krippendorff's alpha at one level, over the items with a unit that two raters judged; and their number."""
    latest = ratings.latest()
    counts = np.bincount(latest.unit, minlength=latest.item.size)
    known, code = np.unique(latest.item[counts > 1], return_inverse=True)
    if not known.size:
        return 0, []
    item = np.zeros(latest.item.size, dtype=np.int64)
    item[counts > 1] = code
    pairable = counts[latest.unit] > 1
    sums = alpha_sums(latest.unit[pairable], latest.value[pairable], item, known.size, (level,), latest.sides)
    found = jackknife(sums, known.size)
    return known.size, [_only(f"alpha_{level}", found)]


def _only(name: str, found: JackknifeErrors) -> StopTarget:
    return StopTarget((name,), float(found.value[0]), float(found.error[0]), int(found.groups[0]), for_logs=True)


def score_targets(scores: ScoresOfOutputs) -> tuple[int, list[StopTarget]]:
    """The mean score of each system, and the number of items."""
    return scores.items, _of_ratios(scores.means(), scores.items)


def best_worst_targets(answers: BestWorstAnswers) -> tuple[int, list[StopTarget]]:
    """system_best_worst of each system, per time that it was shown, and the number of items."""
    answers = answers.answered()
    items = int(answers.item.max(initial=-1)) + 1
    return items, _of_ratios(best_worst_counts(answers, items)[0], items) if items else []


def difference_targets(scores: ScoresOfOutputs) -> tuple[int, list[StopTarget]]:
    """The mean difference of each two systems over the items that both have, and the number of items."""
    table = scores.table()
    pairs = list(combinations(range(len(scores.systems)), 2))
    both = np.stack([~np.isnan(table[:, a]) & ~np.isnan(table[:, b]) for a, b in pairs], axis=1) if pairs else None
    if both is None or not scores.items:
        return 0, []
    gap = np.stack([table[:, a] - table[:, b] for a, b in pairs], axis=1)
    names = tuple((scores.systems[a], scores.systems[b]) for a, b in pairs)
    ratios = Ratios(names, np.where(both, gap, 0.0), both.astype(np.float64), ("",) * len(names))
    return scores.items, _of_ratios(ratios, scores.items)


def win_targets(data: PairChoices | ScoresOfOutputs) -> tuple[int, list[StopTarget]]:
    """The share of meetings that the first system of each pair won, ties as half; and the number of items."""
    met = meetings_of_choices(data) if isinstance(data, PairChoices) else meetings_of_scores(data)
    shares = win_shares(met)
    if shares is None:
        return 0, []
    plain = jackknife(shares, met.items)
    held = jackknife(_with_added(shares), met.items + 2 * ADDED)
    rows = [
        StopTarget(key[1:], float(plain.value[at]), float(held.error[at]),
                   min(int((shares.denominator[:, at] > 0).sum()), MOST_GROUPS), float(held.value[at]))
        for at, key in enumerate(shares.keys)
    ]  # fmt: skip
    return met.items, rows


def _with_added(shares: Ratios) -> Ratios:
    """The shares with items added, each as heavy as a pair's mean item: half of them won, half lost."""
    there = np.maximum((shares.denominator > 0).sum(axis=0), 1)
    weight = shares.denominator.sum(axis=0) / there
    won, lost = np.tile(weight, (ADDED, 1)), np.zeros((ADDED, weight.size))
    return Ratios(
        shares.keys,
        np.concatenate([shares.numerator, won, lost]),
        np.concatenate([shares.denominator, np.tile(weight, (2 * ADDED, 1))]),
        shares.reasons,
    )


def _of_ratios(ratios: Ratios, items: int) -> list[StopTarget]:
    found = jackknife(ratios, items)
    groups = np.minimum((ratios.denominator > 0).sum(axis=0), MOST_GROUPS)
    return [
        StopTarget(
            key[1:] if key[0] in NAMED_FIRST and len(key) == 2 else key,
            float(value),
            float(error),
            int(group),
        )
        for key, value, error, group in zip(ratios.keys, found.value, found.error, groups, strict=True)
    ]
