"""All figures of a question that compare judges with people, as plain values for JSON and pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import CONFIDENCE, Estimate, ItemSums, Key, RekeyedSums, Shares, estimate
from agreement.intervals.report_entries import Report, place
from agreement.meta_evaluation.auc import auc_roc, auc_sums
from agreement.meta_evaluation.both_orders import both_orders
from agreement.meta_evaluation.choice_figures import (
    NO_MAJORITY,
    PairCounts,
    against_majority,
    leave_one_out_of,
    majority_of,
    order_and_length,
    pair_counts,
    people_in_turn,
    people_leave_one_out,
)
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers, Rerun, majority_is_yes
from agreement.meta_evaluation.one_more_person import MOST_PEOPLE, beside_one_more_person
from agreement.meta_evaluation.output_answers import Outputs, OutputScores
from agreement.meta_evaluation.reruns import AveragedReruns
from agreement.meta_evaluation.score_figures import (
    ScoredOutputs,
    item_taus,
    pearson_figures,
    scored_by_both,
    system_tau,
    tau_figures,
)
from agreement.meta_evaluation.winners import winner_figures

REPLICATES = 1000
SEED = 1
TOO_MANY_PEOPLE = f"more than {MOST_PEOPLE} people answered, so most of them rated few systems"
TWO_PEOPLE = "it takes two people who answered about the same outputs"
DEVIATIONS = ("pearson_distance",)
"""Figures whose standard error is the deviation of their bootstrap."""
ERRORS = ("pearson_distance_se", "pearson_distance_se_printed", "rank_distance_se", "auc_roc_se")
NO_ERROR = "a standard error needs two items, and for Pearson's distance two replicates"


@dataclass
class _Entry:
    """The figures of one rater, or of people in turn: those with intervals, and plain values."""

    figures: list[AveragedReruns] = field(default_factory=list)
    plain: Report = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)

    def report(self, estimates: dict[Key, Estimate], items: int, about: Report) -> Report:
        """The figures with `_ci` beside each, `_se` if it has one, and `spread` over several reruns."""
        report, undefined = dict(about) | self.plain, dict(self.undefined)
        place(report, undefined, estimates)
        for name in DEVIATIONS:
            if (name,) in estimates:
                report[f"{name}_se"] = estimates[name,].deviation
        report["pearson_distance_se_printed"] = printed_error(report["pearson_distance"], report["outputs"])
        for name in ERRORS:
            if name in report and report[name] is None:
                undefined[name] = NO_ERROR
        spread = self._spread(items)
        return report | ({"spread": spread} if spread else {}) | {"undefined": undefined}

    def _spread(self, items: int) -> Report:
        several = [figure for figure in self.figures if len(figure.reruns) > 1]
        return {
            ".".join(key): float(value)
            for figure in several
            for key, value in zip(figure.keys, figure.spread(items), strict=True)
            if not np.isnan(value)
        }


def judge_report(
    people: PeopleAnswers, judges: Sequence[Judge], *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """`people`, each of them against the others, and `judges` by name, all over the same draws of items.

    Every figure `x` has `x_ci`, or a reason under `undefined`; a judge with several reruns has the means of its
    figures over them, and under `spread` their standard deviations. Judges are compared with all people. Under
    `one_more_person` each judge is compared like a person: with the others, on the same answers. Items without
    people's answers are left out.
    """
    people, code = people.of_items(people.answered_items())
    judges = [judge.recoded(code) for judge in judges]
    outputs = people.outputs
    means, counts = people.scores.means(outputs), pair_counts(people.choices, outputs)
    entries = [_people(people, counts), *(_judge(judge, people, means, counts) for judge in judges)]
    keyed = [
        RekeyedSums(figure, tuple((str(number), *key) for key in figure.keys))
        for number, entry in enumerate(entries)
        for figure in entry.figures
    ]
    estimates = estimate(keyed, outputs.items, replicates, seed)
    own: list[dict[Key, Estimate]] = [{} for _ in entries]
    for (number, *key), figure in estimates.items():
        own[int(number)][tuple(key)] = figure
    everybody = {"raters": len(set(people.scores.rater.tolist())), "ratings": people.scores.value.size}
    first, *others = (
        entry.report(figures, outputs.items, about)
        for entry, figures, about in zip(entries, own, [everybody, *(judge.about for judge in judges)], strict=True)
    )
    beside = beside_one_more_person(people, judges, replicates=replicates, seed=seed)
    return {
        "people": first,
        "judges": {
            judge.name: {**report, "one_more_person": one}
            for judge, report, one in zip(judges, others, beside, strict=True)
        },
        "bootstrap": {
            "resampled": "items", "items": outputs.items, "replicates": replicates if outputs.items > 1 else 0,
            "seed": seed, "confidence": CONFIDENCE,
        },
    }  # fmt: skip


def _judge(judge: Judge, people: PeopleAnswers, means: Floats, counts: PairCounts) -> _Entry:
    """A judge's figures, averaged over its reruns."""
    outputs, entry = people.outputs, _Entry()
    scored = [scored_by_both(means, rerun.scores.means(outputs)) for rerun in judge.reruns]
    taus = [item_taus(one, outputs) for one in scored]
    entry.plain = {
        "outputs": min(one.output.size for one in scored),
        "items_used": min(one.tau.size for one in taus),
        "items_judge_constant": max(int(one.constant.sum()) for one in taus),
        "pairs": min(_pairs_with_majority(rerun, people, counts) for rerun in judge.reruns),
        "reruns": len(judge.reruns),
        "shape": judge.reruns[0].shape,
    }
    errors = [error for one in taus if (error := _standard_error((1 - one.tau) / 2)) is not None]
    entry.plain["rank_distance_se"] = float(np.mean(errors)) if errors else None
    orders = [both_orders(rerun.choices, counts, outputs) for rerun in judge.reruns]

    def averaged(figure: Callable[[int], ItemSums]) -> AveragedReruns:
        return AveragedReruns([figure(number) for number in range(len(judge.reruns))])

    choices = [rerun.choices for rerun in judge.reruns]
    entry.figures = [
        averaged(lambda n: tau_figures(taus[n], outputs.items)),
        averaged(lambda n: pearson_figures(scored[n], outputs)),
        averaged(lambda n: system_tau(scored[n], outputs)),
        averaged(lambda n: winner_figures(scored[n], outputs, judge.own_family)),
        averaged(lambda n: against_majority(choices[n], counts, outputs)),
        averaged(lambda n: leave_one_out_of(choices[n], counts, outputs)),
        averaged(lambda n: order_and_length(choices[n], outputs, counts)),
    ]
    if any(one.pairs for one in orders):
        entry.plain["both_orders"] = {"pairs": min(one.pairs for one in orders)}
        entry.figures.append(AveragedReruns(orders))
    if people.yes_or_no:
        entry.plain["auc_roc_se"] = _mean_auc_error(scored)
        entry.figures.append(averaged(lambda n: _auc_over_items(scored[n], outputs)))
    return entry


def _people(people: PeopleAnswers, counts: PairCounts) -> _Entry:
    """The figures of one more person: each person in turn against the others."""
    outputs, entry = people.outputs, _Entry()
    scored = each_against_the_others(people.scores, outputs.size)
    taus = item_taus(scored, outputs)
    entry.plain = {
        "outputs": np.unique(scored.output).size,
        "items_used": np.unique(taus.item).size,
        "rank_distance_se": _standard_error(_item_means(taus.item, (1 - taus.tau) / 2)),
    }
    entry.figures = [
        AveragedReruns([tau_figures(taus, outputs.items)]),
        AveragedReruns([pearson_figures(scored, outputs)]),
        AveragedReruns([people_in_turn(people.choices, counts, outputs)]),
        AveragedReruns([people_leave_one_out(counts, outputs)]),
        AveragedReruns([order_and_length(people.choices, outputs, counts)]),
    ]
    raters = np.unique(scored.rater)
    if 0 < raters.size <= MOST_PEOPLE:
        alone = [scored.of_rater(rater) for rater in raters.tolist()]
        entry.figures.append(AveragedReruns([system_tau(one, outputs) for one in alone]))
        entry.figures.append(AveragedReruns([_agreement_of_winners(one, people) for one in alone]))
    else:
        entry.plain["system_kendall_tau_b"] = None
        entry.undefined["system_kendall_tau_b"] = TOO_MANY_PEOPLE if raters.size else TWO_PEOPLE
    if people.yes_or_no:
        entry.plain["auc_roc_se"] = _mean_auc_error([scored])
        entry.figures.append(AveragedReruns([_auc_over_items(scored, outputs)]))
    return entry


def _auc_over_items(scored: ScoredOutputs, outputs: Outputs) -> ItemSums:
    return auc_sums(majority_is_yes(scored.people), scored.judge, outputs.item[scored.output], outputs.items)


def _mean_auc_error(scored: Sequence[ScoredOutputs]) -> float | None:
    """The mean over reruns of Hanley and McNeil's standard error; None if no rerun has an AUC."""
    known = [found for one in scored if (found := auc_roc(majority_is_yes(one.people), one.judge).se) is not None]
    return float(np.mean(known)) if known else None


def printed_error(distance: float | None, outputs: int) -> float | None:
    """sqrt((1 - d^2) / (n - 2)), which all errors of Pearson's distance in riSum's table 4 fit; None if undefined."""
    return None if distance is None or outputs < 3 else float(np.sqrt((1 - distance**2) / (outputs - 2)))


def _agreement_of_winners(scored: ScoredOutputs, people: PeopleAnswers) -> Shares:
    """The two shares of winners that a person has; people have no family."""
    both = winner_figures(scored, people.outputs, None)
    return Shares(both.keys[:2], both.numerator[:, :2], both.denominator[:, :2], both.reasons[:2])


def each_against_the_others(scores: OutputScores, outputs: int) -> ScoredOutputs:
    """Each score beside the mean of the other people's for the output, of outputs that others scored too."""
    count = np.bincount(scores.output, minlength=outputs)[scores.output]
    total = sum_by(scores.output, scores.value, outputs)[scores.output]
    shared = count > 1
    rest = (total - scores.value)[shared] / (count - 1)[shared]
    return ScoredOutputs(scores.output[shared], rest, scores.value[shared], scores.rater[shared])


def _pairs_with_majority(rerun: Rerun, people: PeopleAnswers, counts: PairCounts) -> int:
    """The number of distinct pairs that the judge answered and about which people have a majority."""
    place_of, there = counts.find(np.unique(rerun.choices.pair(people.outputs)))
    most = majority_of(counts.counts)
    return int((there & (most[place_of] != NO_MAJORITY)).sum()) if most.size else 0


def _item_means(item: np.ndarray, value: Floats) -> Floats:
    items, code = np.unique(item, return_inverse=True)
    return sum_by(code, value, items.size) / np.maximum(np.bincount(code, minlength=items.size), 1)


def _standard_error(values: Floats) -> float | None:
    """The sample standard deviation over the square root of n; None of fewer than two values."""
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None
