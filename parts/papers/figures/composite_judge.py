"""A composite judge: for each category of items, the method that agrees best with people (HREF, sections 3.1 and 4.2).

The method of a category is the one with the highest leave-one-out agreement. Chosen on the items on which it is then
reported, it would look better than it is. So items are divided into folds, and the method for a fold's items is chosen
on those of the other folds. The paper does not do this; `in_sample` has its figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import ItemSums, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, DifferenceSums, interval_report, under
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.choice_figures import leave_one_out_of, pair_counts
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from parts.papers.figures.category_agreement import ItemCategories

NAME = "leave_one_out"
NOTHING_CHOSEN = "no method has an answer that people's can be compared with, both within a fold and outside it"
NOTHING_ANSWERED = "no method answered a pair that three people judged"


@dataclass(frozen=True)
class MethodScores:
    """Leave-one-out scores of methods: the sum over an item's pairs and their number, (I, M) each."""

    total: Floats
    pairs: Floats

    def best(self, items: np.ndarray) -> int | None:
        """The method with the highest agreement over the items with a true `items`; the first one of several."""
        pairs = self.pairs[items].sum(axis=0)
        if not pairs.any():
            return None
        rate = np.divide(self.total[items].sum(axis=0), pairs, out=np.full(pairs.size, -1.0), where=pairs > 0)
        return int(np.argmax(np.round(rate, 12)))


def composite_report(
    people: PeopleAnswers,
    judges: Sequence[Judge],
    categories: ItemCategories,
    *,
    folds: int = 2,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`composite` and `single`: agreement with a method per category, and with one method for all of them.

    `composite` is {leave_one_out, categories: {name: {leave_one_out, chosen: one method per fold, in_sample: {judge,
    leave_one_out}}}, in_sample: {leave_one_out}}, `single` {leave_one_out, chosen, in_sample}, and `difference` the
    composite minus the single; `x_ci` is beside each figure that is not in a sample. An item with several categories
    counts once in the overall figure, in equal parts. `uncategorised` counts the items without a category, which are
    left out. Intervals draw items and keep the choices. `undefined` has the reasons.

    Raises ValueError with fewer than two folds, or without a judge.
    """
    if folds < 2 or not judges:
        raise ValueError("a composite needs two or more folds, and a judge")
    scores, member = _scores(people, judges), categories.member
    fold, anywhere = item_folds(member, folds, seed), np.asarray(member.any(axis=1))
    weight = member / np.maximum(member.sum(axis=1), 1)[:, None]
    chosen = [_chosen(scores, fold, own, folds) for own in member.T]
    picked = [_picked(scores, fold, own, choice) for own, choice in zip(member.T, chosen, strict=True)]
    of_categories = np.stack(picked, axis=2) if picked else np.zeros((member.shape[0], 2, 0))
    overall = (of_categories * weight[:, None, :]).sum(axis=2)
    single = _chosen(scores, fold, anywhere, folds)
    alone = _picked(scores, fold, anywhere, single)
    composite, one = _ratio(overall), _ratio(alone)
    figures: list[ItemSums] = [
        under(("composite",), composite),
        under(("single",), one),
        DifferenceSums(composite, one, (("difference",),)),
        *(
            under(("composite", "categories", name), _ratio(of_categories[:, :, code]))
            for code, name in enumerate(categories.names)
        ),
    ]
    report = interval_report(figures, member.shape[0], replicates=replicates, seed=seed)
    names = [judge.name for judge in judges]
    _add_choices(report, names, categories, chosen, single)
    _add_in_sample(report, names, categories, scores, weight)
    return {"folds": folds, "uncategorised": int((~anywhere).sum()), **report}


def item_folds(member: np.ndarray, folds: int, seed: int) -> Ints:
    """The fold of each item, (I,): at random, with the items of equal categories spread evenly over the folds."""
    shuffled = np.random.default_rng(seed).permutation(member.shape[0])
    _, kind = np.unique(member, axis=0, return_inverse=True)
    order = shuffled[np.argsort(kind.reshape(-1)[shuffled], kind="stable")]
    fold = np.empty(member.shape[0], dtype=np.int64)
    fold[order] = np.arange(member.shape[0]) % folds
    return fold


def composed(choices: Sequence[OutputChoices], method: Ints, outputs: Outputs) -> OutputChoices:
    """The composite judge's choices: for each item those of its `method` (I,), the place of one in `choices`.

    Items with a negative method have none. The only rater is called composite.
    """
    kept = [one.only(method[outputs.item[one.first]] == number) for number, one in enumerate(choices)]

    def joined(name: str) -> Ints:
        return np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(one, name) for one in kept)])

    first = joined("first")
    return OutputChoices(
        first, joined("second"), np.zeros_like(first), joined("choice"), joined("shown_first"), ("composite",)
    )


def _scores(people: PeopleAnswers, judges: Sequence[Judge]) -> MethodScores:
    """Each judge's scores, with those of its reruns added up."""
    counts = pair_counts(people.choices, people.outputs)
    of_judges = [
        [leave_one_out_of(rerun.choices, counts, people.outputs) for rerun in judge.reruns] for judge in judges
    ]
    total = [np.sum([one.numerator[:, 0] for one in reruns], axis=0) for reruns in of_judges]
    pairs = [np.sum([one.denominator[:, 0] for one in reruns], axis=0) for reruns in of_judges]
    return MethodScores(np.stack(total, axis=1), np.stack(pairs, axis=1))


def _chosen(scores: MethodScores, fold: Ints, own: np.ndarray, folds: int) -> list[int | None]:
    """The method for each fold of the items `own` (I,), chosen on the others."""
    return [scores.best(own & (fold != number)) for number in range(folds)]


def _picked(scores: MethodScores, fold: Ints, own: np.ndarray, chosen: Sequence[int | None]) -> Floats:
    """Sum and number of pairs of the chosen methods' scores for each item, (I, 2), 0 elsewhere."""
    method = np.array([-1 if one is None else one for one in chosen])[fold]
    used, row = own & (method >= 0), np.arange(own.size)
    return np.stack([np.where(used, part[row, method], 0.0) for part in (scores.total, scores.pairs)], axis=1)


def _ratio(sums: Floats) -> Shares:
    return Shares(((NAME,),), sums[:, :1], sums[:, 1:], (NOTHING_CHOSEN,))


def _add_choices(
    report: Report,
    names: Sequence[str],
    categories: ItemCategories,
    chosen: Sequence[list[int | None]],
    single: list[int | None],
) -> None:
    """Add the names of the methods that were chosen for each fold."""
    report["single"]["chosen"] = [None if one is None else names[one] for one in single]
    report["composite"].setdefault("categories", {})
    for name, choice in zip(categories.names, chosen, strict=True):
        report["composite"]["categories"][name]["chosen"] = [None if one is None else names[one] for one in choice]


def _add_in_sample(
    report: Report, names: Sequence[str], categories: ItemCategories, scores: MethodScores, weight: Floats
) -> None:
    """Add the agreement of the methods that are best on the very items on which it is taken."""

    def entry(own: np.ndarray, path: str) -> tuple[Report, int | None]:
        best = scores.best(own)
        if best is None:
            report["undefined"][f"{path}.in_sample.{NAME}"] = NOTHING_ANSWERED
            return {"judge": None, NAME: None}, None
        return {"judge": names[best], NAME: float(scores.total[own, best].sum() / scores.pairs[own, best].sum())}, best

    report["single"]["in_sample"], _ = entry(np.asarray(weight.any(axis=1)), "single")
    total = pairs = 0.0
    for code, name in enumerate(categories.names):
        own = weight[:, code] > 0
        found, best = entry(own, f"composite.categories.{name}")
        report["composite"]["categories"][name]["in_sample"] = found
        if best is not None:
            total += float((scores.total[:, best] * weight[:, code]).sum())
            pairs += float((scores.pairs[:, best] * weight[:, code]).sum())
    report["composite"]["in_sample"] = {NAME: total / pairs if pairs else None}
    if not pairs:
        report["undefined"][f"composite.in_sample.{NAME}"] = NOTHING_ANSWERED
