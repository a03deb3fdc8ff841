"""Leave-one-out agreement of judges and people by category of items (Lyu et al. 2024, HREF, Table 2).

A judge's answer to a pair is held against the modes of each set of people that leaves one out; for people, the one left
out is held against the mode of the rest. Scores are averaged within a pair and then over pairs with three people. An
item with several categories counts in each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.intervals.bootstrap import ItemSums, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report, under
from agreement.intervals.report_entries import Report, within
from agreement.meta_evaluation.choice_figures import leave_one_out_of, pair_counts, people_leave_one_out
from agreement.meta_evaluation.compared_answers import Judge, PeopleAnswers
from agreement.meta_evaluation.reruns import AveragedReruns

NO_PAIR_IN_CATEGORY = "the category has no pair that three people judged and that was answered"


@dataclass(frozen=True)
class ItemCategories:
    """The categories of items: `member` (I, C) is true if the item has the category called `names[c]`.

    Raises ValueError for other shapes.
    """

    names: tuple[str, ...]
    member: np.ndarray

    def __post_init__(self) -> None:
        if self.member.ndim != 2 or self.member.shape[1] != len(self.names):
            raise ValueError("member must have one column per category")


def item_categories(of_items: Sequence[Sequence[str]]) -> ItemCategories:
    """The categories of items from the names of each item's, (I,), sorted by name."""
    names = tuple(sorted({name for own in of_items for name in own}))
    member = [[name in own for name in names] for own in of_items]
    return ItemCategories(names, np.array(member, dtype=bool).reshape(len(of_items), len(names)))


def category_report(
    people: PeopleAnswers,
    judges: Sequence[Judge],
    categories: ItemCategories,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`people` and `judges` by name, each {leave_one_out, categories: {name: {leave_one_out, pairs}}, pairs}.

    `x_ci` is beside each share, from draws of all items, whatever their category. A judge's figures are means over its
    reruns, and its `pairs` the fewest of a rerun. `items` has the number of each category's items.

    Raises ValueError if the categories are those of another number of items.
    """
    outputs = people.outputs
    if categories.member.shape[0] != outputs.items:
        raise ValueError("there must be categories for each item")
    counts = pair_counts(people.choices, outputs)
    raters: dict[tuple[str, ...], list[Shares]] = {("people",): [people_leave_one_out(counts, outputs)]}
    for judge in judges:
        of_reruns = [leave_one_out_of(rerun.choices, counts, outputs) for rerun in judge.reruns]
        raters["judges", judge.name] = of_reruns
    figures: list[ItemSums] = [
        under(path, AveragedReruns([by_category(one, categories) for one in reruns])) for path, reruns in raters.items()
    ]
    sizes = categories.member.sum(axis=0).tolist()
    report: Report = {"items": dict(zip(categories.names, sizes, strict=True)), "judges": {}}
    report |= interval_report(figures, outputs.items, replicates=replicates, seed=seed)
    for path, reruns in raters.items():
        of_item = np.array([one.denominator[:, 0] for one in reruns])
        entry = within(report, path)
        entry["pairs"] = int(of_item.sum(axis=1).min())
        for name, own in zip(categories.names, categories.member.T, strict=True):
            entry["categories"][name]["pairs"] = int(of_item[:, own].sum(axis=1).min())
    return report


def by_category(ratio: Shares, categories: ItemCategories) -> Shares:
    """A figure of all items, and the same of each category's: `ratio` is one figure."""
    ((name,),), (reason,) = ratio.keys, ratio.reasons
    member = np.concatenate([np.ones((categories.member.shape[0], 1)), categories.member], axis=1)
    return Shares(
        keys=((name,), *(("categories", category, name) for category in categories.names)),
        numerator=ratio.numerator * member,
        denominator=ratio.denominator * member,
        reasons=(reason, *(NO_PAIR_IN_CATEGORY,) * len(categories.names)),
    )
