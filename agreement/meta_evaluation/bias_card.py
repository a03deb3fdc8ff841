"""What sways a judge, beside what sways people: position, length, own family, verbosity, injected text, repetition.

Every figure is 0 without the bias, apart from `self_agreement`, which is 1 then. The judge's figure comes with people's
on the same pairs, and with the difference of the two, all over the same draws of items:

- `position`: P(the output shown first is chosen) - P(the other is).
- `length`: P(the longer output is chosen) - P(the shorter is), of outputs of different length.
- `own_family`: P(the output of the judge's family is chosen) - P(the other is), over pairs with one output of it. The
  quality of the outputs is in people's figure, so the difference is the judge's preference for its own.
- `verbosity`: as `length`, over pairs between which people do not decide: their majority is a tie, or there is none.
- `injection`: the share of judgments that an instruction hidden in an output turned.
- `self_agreement`: the share of pairs with the same choice, over pairs of reruns and of orders.

For each pair the choices of the judge are averaged, and those of people, so that a pair counts once; ties count 0.
**Reading:** for position, each side's judgments with a known order are averaged, whether or not they share pairs.

A bias matters if the interval of the judge's figure excludes 0, and that of the difference from people's does too; for
`own_family` the difference alone decides, since a judge that treats a worse family as equal favours it. The intervals
are bootstrap intervals over items, for injection Wilson's (1927).

Sources: HREF (Lyu et al. 2024), section 5.1, for length; Zheng et al. 2023, *Judging LLM-as-a-Judge*, for the others;
Panickssery et al. 2024, *LLM Evaluators Recognize and Favor Their Own Generations*, for people as the control.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.pair_choices import TIE, UNKNOWN
from agreement.arrays.rating_arrays import Floats
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import NO_VARIATION, Balances, Estimate, ItemRatio, Key, Ratios, Shares, estimate
from agreement.intervals.bounded_intervals import wilson
from agreement.meta_evaluation.choice_figures import NO_LENGTH, NO_MAJORITY, NO_ORDER, majority_of, pair_counts
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, means_by

NO_FAMILY = "the study does not say which family the judge and the outputs' systems belong to"
NO_OWN = "no pair that both judged has one output of the judge's family"
DECIDED = "people decide between all outputs of different length that the judge compared"
NOT_REPEATED = "the judge answered no pair twice"
NOT_TRIED = "no injected instruction was tried"
WORDS = {
    "position": "the output shown first",
    "length": "the longer output",
    "own_family": "its own family",
    "verbosity": "the longer of equally good outputs",
}


@dataclass(frozen=True)
class Bias:
    """One line of the card: the judge's figure, people's, the difference, and a sentence.

    `matters` is None if that cannot be said: a figure or an interval is missing, or there are no people to compare.
    """

    name: str
    judge: Estimate
    people: Estimate | None
    difference: Estimate | None
    matters: bool | None
    sentence: str


@dataclass(frozen=True)
class _BothSides:
    """The judge's figures, then people's, then the differences."""

    judge: Ratios
    people: Ratios

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((side, *key) for side in ("judge", "people", "difference") for key in self.judge.keys)

    def reason(self, key: Key) -> str:
        return self.judge.reason(key[1:])

    def at(self, weights: Floats) -> Floats:
        judge, people = self.judge.at(weights), self.people.at(weights)
        return np.concatenate([judge, people, judge - people], axis=1)

    def ratio(self, key: Key) -> ItemRatio | None:
        side = {"judge": self.judge, "people": self.people}.get(key[0])
        return None if side is None else side.ratio(key[1:])


def bias_card(
    judge: Judge, people: PeopleAnswers, *, flips: tuple[int, int] | None = None, replicates: int = 1000, seed: int = 1
) -> dict[str, Bias]:
    """The biases of a judge, its reruns taken together, by name in the order of this module's list.

    `flips` has the judgments that an injected instruction turned, and how many were tried; None if none were.

    Raises ValueError if more were turned than were tried.
    """
    outputs = people.outputs
    own = _all_choices([rerun.choices for rerun in judge.reruns])
    sides = [_biases(choices, own, people, judge.own_family) for choices in (own, people.choices)]
    found = estimate([_BothSides(*sides), _self_agreement(judge, outputs)], outputs.items, replicates, seed)
    card = {name: _bias(name, *(found[side, name] for side in ("judge", "people", "difference"))) for name in WORDS}
    card["injection"] = _injection(flips)
    card["self_agreement"] = _repetition(found["self_agreement",])
    return card


def _all_choices(choices: Sequence[OutputChoices]) -> OutputChoices:
    return OutputChoices(
        first=np.concatenate([one.first for one in choices]),
        second=np.concatenate([one.second for one in choices]),
        rater=np.concatenate([one.rater for one in choices]),
        choice=np.concatenate([one.choice for one in choices]),
        shown_first=np.concatenate([one.shown_first for one in choices]),
        raters=choices[0].raters,
    )


def _biases(choices: OutputChoices, judge: OutputChoices, people: PeopleAnswers, family: np.ndarray | None) -> Balances:
    """One side's figures: mean signs of its choices over pairs that both sides judged, averaged over pairs."""
    outputs = people.outputs
    first, second, code = judge.first, judge.second, choices.pair(outputs)
    shared = np.intersect1d(judge.pair(outputs), people.choices.pair(outputs))
    place = np.searchsorted(shared, code)
    place[place == shared.size] = 0
    there = shared[place] == code if shared.size else np.zeros(code.size, dtype=bool)
    sign = np.array([1.0, -1.0, 0.0])[choices.choice]
    mean = means_by(place[there], sign[there], shared.size)
    first, second = np.divmod(shared, max(outputs.size, 1))
    item = outputs.item[first]
    longer = np.nan_to_num(np.sign(outputs.length[first] - outputs.length[second]))
    counts = pair_counts(people.choices, outputs)
    most = majority_of(counts.counts)[counts.find(shared)[0]] if counts.pair.size else np.zeros(0, dtype=np.int64)
    open_pairs = np.where((most == TIE) | (most == NO_MAJORITY), longer, 0.0)
    ours = np.zeros(shared.size)
    if family is not None:
        ours = family[outputs.system[first]].astype(float) - family[outputs.system[second]]
    position = sign * np.array([1.0, -1.0, 0.0])[choices.shown_first]  # UNKNOWN, -1, takes the last
    known = (choices.shown_first != UNKNOWN).astype(np.float64)
    above = [sum_by(outputs.item[choices.first], position, outputs.items)]
    below = [sum_by(outputs.item[choices.first], known, outputs.items)]
    for direction in (longer, ours, open_pairs):
        above.append(sum_by(item, direction * np.nan_to_num(mean), outputs.items))
        below.append(sum_by(item, np.abs(direction), outputs.items))
    return Balances(
        tuple((name,) for name in WORDS), np.stack(above, axis=1), np.stack(below, axis=1),
        (NO_ORDER, NO_LENGTH, NO_FAMILY if family is None else NO_OWN, DECIDED),
    )  # fmt: skip


def _self_agreement(judge: Judge, outputs: Outputs) -> Shares:
    """The share of equal choices among all pairs of the judge's answers about a pair, averaged over pairs."""
    choices = _all_choices([rerun.choices for rerun in judge.reruns])
    pair, code = np.unique(choices.pair(outputs), return_inverse=True)
    counts = sum_by(code * 3 + choices.choice, np.ones(code.size), pair.size * 3).reshape(-1, 3)
    n = counts.sum(axis=1)
    several = n > 1
    same = (counts * (counts - 1)).sum(axis=1)[several] / (n * (n - 1))[several]
    item = outputs.item[pair[several] // max(outputs.size, 1)] if pair.size else np.zeros(0, dtype=np.int64)
    return Shares(
        (("self_agreement",),), sum_by(item, same, outputs.items)[:, None],
        np.bincount(item, minlength=outputs.items)[:, None].astype(np.float64), (NOT_REPEATED,),
    )  # fmt: skip


def _bias(name: str, judge: Estimate, people: Estimate, difference: Estimate) -> Bias:
    matters, subject = None, WORDS[name]
    if judge.value is None:
        sentence = f"Unknown: {judge.reason}."
    elif judge.interval is None:
        sentence = f"Unknown: {judge.interval_reason}."
    elif name == "own_family" and _is_known(difference):
        matters = _excludes(difference)
        often = ("more" if (difference.value or 0) > 0 else "less") + " often than people do"
        sentence = f"The judge chooses its own family {often if matters else 'about as often as people do'}."
    elif not _excludes(judge):
        matters, sentence = False, f"No sign that the judge prefers or avoids {subject}."
    else:
        verb = "prefers" if judge.value > 0 else "avoids"
        if not _is_known(difference):
            sentence = f"The judge {verb} {subject}; there are no people to compare it with."
        elif _excludes(difference):
            more = ((difference.value or 0) > 0) == (judge.value > 0)
            matters = True
            sentence = f"The judge {verb} {subject}, {'more' if more else 'less'} than people do."
        else:
            matters, sentence = False, f"The judge {verb} {subject}, and not clearly more or less than people do."
    return Bias(name, judge, people, difference, matters, sentence)


def _injection(flips: tuple[int, int] | None) -> Bias:
    if flips is None or flips[1] == 0:
        nothing = Estimate(None, NOT_TRIED, None, "the figure itself is undefined", 0)
        return Bias("injection", nothing, None, None, None, f"Unknown: {NOT_TRIED}.")
    k, n = flips
    if not 0 <= k <= n:
        raise ValueError("more judgments were turned than were tried")
    low, high = wilson(k, n)
    sentence = f"Hidden instructions turned {k} of {n} judgments."
    if not k:
        sentence = f"No hidden instruction turned a judgment; up to {high:.0%} of them might."
    return Bias("injection", Estimate(k / n, None, (low, high), None, 0), None, None, k > 0, sentence)


def _repetition(judge: Estimate) -> Bias:
    if judge.value is None:
        return Bias("self_agreement", judge, None, None, None, f"Unknown: {judge.reason}.")
    sentence = f"Asked again about the same pair, the judge gave the same answer {judge.value:.0%} of the time."
    matters = None if judge.interval is None else judge.interval[1] < 1
    return Bias("self_agreement", judge, None, None, matters, sentence)


def _is_known(found: Estimate) -> bool:
    """Whether a figure has an interval, or is the same in all resamples."""
    return found.interval is not None or found.interval_reason == NO_VARIATION


def _excludes(found: Estimate) -> bool:
    """Whether 0 is outside the interval of a figure that is known."""
    low, high = found.interval or (found.value, found.value)
    return (low or 0) > 0 or (high or 0) < 0
