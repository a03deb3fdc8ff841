"""A judge beside one more person: both against the other people, on the same answers.

For each person who answered about a unit that the judge and another person answered about, too, there is an entry. In
it the judge and the person are both compared with the other people: with the mean of their scores, or the majority of
their choices. Figures pool the entries, so a judge that answers as people do has the same expectation as a person.
Against all people it would not: the aggregate of R people is steadier than that of R - 1, and crowds rate other units
than judges do.

Some people rate higher than others. If a person's level is high, that of the others is low by comparison, which would
count against the person and not against the judge. So Pearson's r is of scores less their means over the entries of
each person, and the AUC compares only outputs within the entries of one person.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Estimate, ItemSums, Key, RekeyedSums, estimate
from agreement.intervals.report_entries import Report, placed
from agreement.meta_evaluation.auc import auc_sums
from agreement.meta_evaluation.choice_figures import (
    KINDS,
    NO_MAJORITY,
    PairCounts,
    answer_scores,
    majority_of,
    mean_of_units,
    pair_counts,
)
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers, Rerun, majority_is_yes
from agreement.meta_evaluation.confusion import MASI_OF_PAIRS, confusion
from agreement.meta_evaluation.output_answers import Outputs
from agreement.meta_evaluation.reruns import AveragedReruns
from agreement.meta_evaluation.score_figures import (
    ScoredOutputs,
    item_taus,
    pearson_figures,
    system_tau,
    tau_figures,
    within_raters,
)

MOST_PEOPLE = 30
"""With more people than this, figures that take each person by themselves are not given."""
NO_ENTRY = "there is no unit that the judge and two people answered about"
JUDGE, PERSON = "judge", "person"


@dataclass(frozen=True)
class ScoreEntries:
    """Entries of scores, (E,) each: the output, the person, the mean of the others, the person's and the judge's."""

    output: Ints
    rater: Ints
    others: Floats
    person: Floats
    judge: Floats

    def of(self, side: str) -> ScoredOutputs:
        """The entries as scores of one side beside those of the other people."""
        return ScoredOutputs(self.output, self.others, self.judge if side == JUDGE else self.person, self.rater)


@dataclass(frozen=True)
class ChoiceEntries:
    """Entries of choices, (E,) each: the place of the pair, the others' counts (E, 3), the person's and the judge's.

    A pair that the judge answered several times, such as in both orders, has an entry for each of its answers.
    """

    place: Ints
    others: Floats
    person: Ints
    judge: Ints

    def of(self, side: str) -> Ints:
        return self.judge if side == JUDGE else self.person


@dataclass(frozen=True)
class _Entries:
    """The entries of one rerun."""

    scores: ScoreEntries
    choices: ChoiceEntries

    @property
    def answered(self) -> tuple[bytes, ...]:
        """Equal for two judges if they are compared on the same answers of people."""
        columns = (self.scores.output, self.scores.rater, self.choices.place, self.choices.person)
        return (*(column.tobytes() for column in columns), self.choices.others.tobytes())


def beside_one_more_person(
    people: PeopleAnswers, judges: Sequence[Judge], *, replicates: int, seed: int
) -> list[Report]:
    """For each judge `judge` and `person`, with the same figures of the same entries, and the numbers of entries.

    `scores` and `choices` are those numbers, the least of the judge's reruns, over which figures are averaged. Every
    figure `x` has `x_ci`, or a reason under `undefined`.
    """
    counts, items = pair_counts(people.choices, people.outputs), people.outputs.items
    entries = [
        [_Entries(score_entries(one, people), choice_entries(one, people, counts)) for one in judge.reruns]
        for judge in judges
    ]
    keyed: list[ItemSums] = []
    of_people: dict[tuple[tuple[bytes, ...], ...], str] = {}
    for number, reruns in enumerate(entries):
        keyed += _under(f"{JUDGE} {number}", reruns, JUDGE, people, counts)
        answered = tuple(one.answered for one in reruns)
        if answered not in of_people:
            of_people[answered] = f"{PERSON} {number}"
            keyed += _under(of_people[answered], reruns, PERSON, people, counts)
    found: dict[str, dict[Key, Estimate]] = defaultdict(dict)
    for (name, *key), figure in estimate(keyed, items, replicates, seed).items():
        found[name][tuple(key)] = figure
    return [
        {
            "scores": min(one.scores.output.size for one in reruns),
            "choices": min(one.choices.place.size for one in reruns),
            JUDGE: placed(found[f"{JUDGE} {number}"]),
            PERSON: placed(found[of_people[tuple(one.answered for one in reruns)]]),
        }
        for number, reruns in enumerate(entries)
    ]


def _under(
    name: str, reruns: Sequence[_Entries], side: str, people: PeopleAnswers, counts: PairCounts
) -> list[ItemSums]:
    """The figures of one side, averaged over reruns, at keys that begin with `name`."""
    figures = [_figures(one.scores, one.choices, side, people, counts) for one in reruns]
    averaged = [AveragedReruns(together) for together in zip(*figures, strict=True)]
    return [RekeyedSums(one, tuple((name, *key) for key in one.keys)) for one in averaged]


def score_entries(rerun: Rerun, people: PeopleAnswers) -> ScoreEntries:
    """The entries of scores of one rerun."""
    scores, outputs = people.scores, people.outputs
    judge = rerun.scores.means(outputs)[scores.output]
    count = np.bincount(scores.output, minlength=outputs.size)[scores.output]
    total = sum_by(scores.output, scores.value, outputs.size)[scores.output]
    kept = (count > 1) & ~np.isnan(judge)
    others = (total - scores.value)[kept] / (count - 1)[kept]
    return ScoreEntries(scores.output[kept], scores.rater[kept], others, scores.value[kept], judge[kept])


def choice_entries(rerun: Rerun, people: PeopleAnswers, counts: PairCounts) -> ChoiceEntries:
    """The entries of choices of one rerun."""
    own, outputs = people.choices, people.outputs
    place, _ = counts.find(own.pair(outputs))
    others = counts.counts[place]
    others[np.arange(place.size), own.choice] -= 1
    asked, there = counts.find(rerun.choices.pair(outputs))
    of_person, of_judge = _same_pairs(place, asked[there])
    shared = others[of_person].sum(axis=1) > 0
    of_person, of_judge = of_person[shared], of_judge[shared]
    return ChoiceEntries(
        place[of_person], others[of_person], own.choice[of_person], rerun.choices.choice[there][of_judge]
    )


def _same_pairs(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """All combinations of a place in `one` and a place in `other` that hold the same pair."""
    order = np.argsort(other, kind="stable")
    start, end = (np.searchsorted(other[order], one, side) for side in ("left", "right"))
    many = end - start
    left = np.repeat(np.arange(one.size), many)
    within = np.arange(left.size) - np.repeat(np.cumsum(many) - many, many)
    return left, order[start[left] + within]


def _figures(
    scores: ScoreEntries, choices: ChoiceEntries, side: str, people: PeopleAnswers, counts: PairCounts
) -> list[ItemSums]:
    outputs, scored = people.outputs, scores.of(side)
    figures: list[ItemSums] = [
        tau_figures(item_taus(scored, outputs), outputs.items),
        pearson_figures(within_raters(scored), outputs),
        _against_others(choices, side, counts, outputs),
        _leave_one_out(choices, side, counts, outputs),
    ]
    if np.unique(people.scores.rater).size <= MOST_PEOPLE:
        alone = [scored.of_rater(rater) for rater in np.unique(scored.rater).tolist()] or [scored]
        figures.append(AveragedReruns([system_tau(one, outputs) for one in alone]))
    if people.yes_or_no:
        item = outputs.item[scored.output]
        figures.append(auc_sums(majority_is_yes(scored.people), scored.judge, item, outputs.items, scored.rater))
    return figures


def _against_others(choices: ChoiceEntries, side: str, counts: PairCounts, outputs: Outputs) -> ItemSums:
    most = majority_of(choices.others)
    used = most != NO_MAJORITY
    return confusion(
        counts.item[choices.place[used]],
        most[used],
        choices.of(side)[used],
        (outputs.items, KINDS),
        distances=MASI_OF_PAIRS,
        sides=outputs.sides,
    )


def _leave_one_out(choices: ChoiceEntries, side: str, counts: PairCounts, outputs: Outputs) -> ItemSums:
    used = choices.others.sum(axis=1) >= 2
    score = answer_scores(choices.others[used], choices.of(side)[used])
    return mean_of_units("leave_one_out", choices.place[used], score, counts.item, outputs.items, NO_ENTRY)
