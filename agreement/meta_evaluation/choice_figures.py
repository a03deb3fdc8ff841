"""A judge's choices between two outputs against people's: majority, leave-one-out, position and length.

People's majority is the most frequent choice of a pair; a pair without one choice that is the most frequent has no
majority and is counted as such.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.pair_choices import CHOICES
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Balances, Shares
from agreement.meta_evaluation.confusion import MASI_OF_PAIRS, ConfusionSums, confusion
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs

KINDS = len(CHOICES)
NO_PAIR_OF_THREE = "the judge answered no pair that three people judged"
NO_THREE_PEOPLE = "no pair was judged by three people"
NO_ORDER = "no judgment has a known order"
NO_LENGTH = "no judgment is about outputs of different length"
NO_MAJORITY = -1


@dataclass(frozen=True)
class PairCounts:
    """How often people gave each choice: `pair` (P,) ascending codes, `counts` (P, 3), `item` (P,)."""

    pair: Ints
    counts: Floats
    item: Ints

    def find(self, pair: Ints) -> tuple[Ints, np.ndarray]:
        """The places of pairs (N,) among these, and which of them are there; absent ones have place 0."""
        place = np.searchsorted(self.pair, pair)
        place[place == self.pair.size] = 0
        there = self.pair[place] == pair if self.pair.size else np.zeros(pair.size, dtype=bool)
        return np.where(there, place, 0), there


def pair_counts(people: OutputChoices, outputs: Outputs) -> PairCounts:
    """People's choices of each pair; they should be without repeats."""
    pair, code = np.unique(people.pair(outputs), return_inverse=True)
    counts = sum_by(code * KINDS + people.choice, np.ones(code.size), pair.size * KINDS).reshape(-1, KINDS)
    return PairCounts(pair, counts, outputs.item[pair // max(outputs.size, 1)] if pair.size else pair)


def majority_of(counts: Floats) -> Ints:
    """The column of the greatest count of each row, (N,), NO_MAJORITY if several are the greatest, or all are 0."""
    if not counts.size:
        return np.zeros(counts.shape[0], dtype=np.int64)
    most = counts.max(axis=1)
    single = ((counts == most[:, None]).sum(axis=1) == 1) & (most > 0)
    return np.where(single, counts.argmax(axis=1), NO_MAJORITY).astype(np.int64)


def against_majority(judge: OutputChoices, people: PairCounts, outputs: Outputs) -> ConfusionSums:
    """The judge's choices by people's majority, over pairs with a majority."""
    place, there = people.find(judge.pair(outputs))
    most = majority_of(people.counts)
    used = there & (most[place] != NO_MAJORITY) if most.size else there
    return confusion(
        people.item[place[used]], most[place[used]], judge.choice[used], (outputs.items, KINDS),
        distances=MASI_OF_PAIRS, sides=outputs.sides,
    )  # fmt: skip


def people_in_turn(people: OutputChoices, counted: PairCounts, outputs: Outputs) -> ConfusionSums:
    """Each person's choices by the majority of the others', over pairs with one: the figures of one more person."""
    place, _ = counted.find(people.pair(outputs))
    rest = counted.counts[place]
    rest[np.arange(place.size), people.choice] -= 1
    most = majority_of(rest)
    used = most != NO_MAJORITY
    return confusion(
        counted.item[place[used]], most[used], people.choice[used], (outputs.items, KINDS),
        distances=MASI_OF_PAIRS, sides=outputs.sides,
    )  # fmt: skip


def leave_one_out_scores(counts: Floats, answer: Ints) -> Floats:
    """How well an answer fits people's, (N,), from their counts (N, K) and the answer's column (N,).

    For each person left out, the answer scores 1 over the number of modes of the rest if it is one of them, and 0
    otherwise; the score is the mean over people (HREF, 2.3).
    """
    total = counts.sum(axis=1)
    score = np.zeros(answer.size)
    for column in range(counts.shape[1]):
        rest = counts.copy()
        rest[:, column] -= 1
        score += counts[:, column] / np.maximum(total, 1) * answer_scores(rest, answer)
    return score


def answer_scores(counts: Floats, answer: Ints) -> Floats:
    """What an answer scores against the modes of counts (N, K), (N,): 1 over their number if it is one, else 0."""
    most = counts.max(axis=1, initial=0)
    modes = (counts == most[:, None]).sum(axis=1)
    return np.asarray((counts[np.arange(answer.size), answer] == most) / np.maximum(modes, 1))


def leave_one_out_of(judge: OutputChoices, people: PairCounts, outputs: Outputs) -> Shares:
    """The judge's leave-one-out agreement, averaged over judgments of a pair, then over pairs with three people."""
    place, there = people.find(judge.pair(outputs))
    if people.pair.size:
        there &= people.counts[place].sum(axis=1) >= 3
    place, answer = place[there], judge.choice[there]
    scores = leave_one_out_scores(people.counts[place], answer) if place.size else np.zeros(0)
    return mean_of_units("leave_one_out", place, scores, people.item, outputs.items, NO_PAIR_OF_THREE)


def people_leave_one_out(people: PairCounts, outputs: Outputs) -> Shares:
    """Each person's choice against the modes of the rest, averaged over people, then over pairs with three people."""
    enough = np.flatnonzero(people.counts.sum(axis=1) >= 3) if people.pair.size else people.pair
    counts = people.counts[enough]
    score = np.zeros(enough.size)
    for column in range(counts.shape[1]):
        rest = counts.copy()
        rest[:, column] -= 1
        score += counts[:, column] * answer_scores(rest, np.full(enough.size, column))
    score /= np.maximum(counts.sum(axis=1), 1)
    return mean_of_units("leave_one_out", enough, score, people.item, outputs.items, NO_THREE_PEOPLE)


def mean_of_units(name: str, unit: Ints, score: Floats, item: Ints, items: int, reason: str) -> Shares:
    """The mean over units of the mean `score` (N,), in 0..1, of each `unit` (N,)."""
    units, code = np.unique(unit, return_inverse=True)
    mean = sum_by(code, score, units.size) / np.maximum(np.bincount(code, minlength=units.size), 1)
    own = item[units]
    return Shares(
        keys=((name,),),
        numerator=sum_by(own, mean, items)[:, None],
        denominator=np.bincount(own, minlength=items)[:, None].astype(np.float64),
        reasons=(reason,),
    )


def order_and_length(judge: OutputChoices, outputs: Outputs, people: PairCounts) -> Balances:
    """Position bias, P(shown first chosen) - P(shown second chosen), and the same of the longer output; ties count.

    Length bias is over the pairs that people judged, too, so that it can be compared with theirs.
    """
    item = outputs.item[judge.first]
    choice = np.array([1, -1, 0])[judge.choice]
    first = np.array([1, -1, 0])[judge.shown_first]  # UNKNOWN, -1, takes the last
    _, shared = people.find(judge.pair(outputs))
    longer = np.nan_to_num(np.sign(outputs.length[judge.first] - outputs.length[judge.second])) * shared
    above, below = [], []
    for sign in (first, longer):
        above.append(sum_by(item, choice * sign, outputs.items))
        below.append(sum_by(item, np.abs(sign), outputs.items))
    return Balances(
        keys=(("position_bias",), ("length_bias_rate",)),
        numerator=np.stack(above, axis=1),
        denominator=np.stack(below, axis=1),
        reasons=(NO_ORDER, NO_LENGTH),
    )
