"""Answers of one shape read as another, one direction at a time, and several answers about one unit made into one.

Higher is better everywhere after a conversion: a score as given, s_i of a ranking, points of choices. Shapes here are
plain values: a score is a number; scores are {output: number}; a ranking is {output: rank}, 1 is best; a choice is the
better output of a pair, or None for a tie; choices are {(output, output): choice} with each pair in one form, ordered
by the code points of its ids.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum

import numpy as np

from agreement.expected_ranks import BITS

Pair = tuple[str, str]
Choices = dict[Pair, str | None]

WIN, TIE, LOSS = 2, 1, 0
"""The points of an output for a choice of its pair."""


def pair_of(one: str, other: str) -> Pair:
    """The one form of a pair of outputs."""
    return (one, other) if one < other else (other, one)


def choices_of_scores(scores: Mapping[str, float]) -> Choices:
    """The choice of each pair of outputs: the higher score is better, equal scores tie."""
    return {
        (one, other): None if scores[one] == scores[other] else one if scores[one] > scores[other] else other
        for one, other in combinations(sorted(scores), 2)
    }


def ranking_of_scores(scores: Mapping[str, float]) -> dict[str, int]:
    """The outputs ranked by value, the highest first, without gaps; equal scores tie."""
    rank = {score: place for place, score in enumerate(sorted(set(scores.values()), reverse=True), 1)}
    return {output: rank[score] for output, score in scores.items()}


def choices_of_ranking(ranks: Mapping[str, int]) -> Choices:
    """The choice of each pair of ranked outputs: the better rank wins, equal ranks tie."""
    return choices_of_scores({output: -rank for output, rank in ranks.items()})


def scores_of_ranking(ranks: Mapping[str, int]) -> dict[str, int]:
    """s_i = N - |{j: r_j < r_i}| of each of N ranked outputs: N for the best, whatever the gaps."""
    ordered = sorted(ranks.values())
    better = {rank: place for place, rank in reversed(list(enumerate(ordered)))}
    return {output: len(ordered) - better[rank] for output, rank in ranks.items()}


def points_of_choices(choices: Mapping[Pair, str | None]) -> dict[str, float]:
    """The mean points of each output over the pairs that were judged: 2 for a win, 1 for a tie, 0 for a loss.

    Raises ValueError if a winner is not in its pair.
    """
    points: dict[str, list[int]] = defaultdict(list)
    for pair, winner in choices.items():
        if winner is not None and winner not in pair:
            raise ValueError("the winner of a pair must be one of its outputs")
        for output in pair:
            points[output].append(TIE if winner is None else WIN if winner == output else LOSS)
    return {output: sum(own) / len(own) for output, own in points.items()}


def ranking_of_choices(choices: Mapping[Pair, str | None]) -> dict[str, int]:
    """The outputs ranked by their mean points over the pairs that were judged."""
    return ranking_of_scores(points_of_choices(choices))


def mean_score(scores: Sequence[float]) -> float:
    """One score of several runs: the mean, whatever their order.

    It is rounded to 40 bits (12 digits), so that rounding errors do not break ties.
    """
    mantissa, exponent = np.frexp(fsum(scores) / len(scores))
    return float(np.ldexp(np.round(mantissa * 2**BITS) / 2**BITS, exponent))


def majority_choice(choices: Iterable[str | None]) -> str | None:
    """One choice of several runs about one pair: the most common answer; if several are, a tie."""
    (first, most), *rest = Counter(choices).most_common()
    return None if rest and rest[0][1] == most else first


def mean_scores_of_rankings(rankings: Sequence[Mapping[str, int]]) -> dict[str, float]:
    """One ranking of several runs: the mean s_i of each output, over the rankings that have it."""
    found: dict[str, list[float]] = defaultdict(list)
    for ranks in rankings:
        for output, score in scores_of_ranking(ranks).items():
            found[output].append(score)
    return {output: mean_score(scores) for output, scores in found.items()}
