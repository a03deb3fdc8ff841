"""Whether one model judges alike under two protocols: Kendall's tau-b between any two raters' scores.

Liu et al. 2024, InstruSum, Table 7, give it between LLMCompare and LLMEval for each model, over systems and over the
outputs of an item, averaged over three quality dimensions (equations 3 and 4). The two raters have equal standing:

- an item on which both tie all outputs has no order and is left out;
- an item on which only one of them does counts 0 (reading: the paper does not say), as in the figures of judges.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import ItemSums, Ratios
from agreement.intervals.interval_report import REPLICATES, SEED, MeanSums, interval_report, under
from agreement.intervals.report_entries import Report, within
from agreement.meta_evaluation.output_answers import Outputs
from agreement.meta_evaluation.score_figures import ScoredOutputs, item_taus, scored_by_both, system_tau

NO_ORDER = "no item has two outputs that both raters scored and one of them orders"


@dataclass(frozen=True)
class ItemTauSums:
    """The mean tau-b over items, with the numbers of items that one rater, or both, tie all outputs of."""

    ratios: Ratios
    one_constant: int
    both_constant: int


def symmetric_taus(scored: ScoredOutputs, outputs: Outputs) -> ItemTauSums:
    """Mean tau-b over the items with at least two outputs that both scored."""
    first = item_taus(scored, outputs)
    second = item_taus(ScoredOutputs(scored.output, scored.judge, scored.people, scored.rater), outputs)
    ordered = np.zeros(outputs.items, dtype=bool)
    ordered[first.item] = ordered[second.item] = True
    several = np.bincount(outputs.item[scored.output], minlength=outputs.items) > 1
    return ItemTauSums(
        Ratios(
            keys=(("item_kendall_tau_b",),),
            numerator=sum_by(first.item, first.tau, outputs.items)[:, None],
            denominator=ordered[:, None].astype(np.float64),
            reasons=(NO_ORDER,),
        ),
        one_constant=int(first.constant.sum() + second.constant.sum()),
        both_constant=int((several & ~ordered).sum()),
    )


def consistency_report(
    scores: Mapping[str, tuple[Floats, Floats]], outputs: Outputs, *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """Both taus of two raters in each of `dimensions`, and their means over dimensions.

    `scores` has the two raters' scores of each output, (O,) and (O,), NaN without one, by dimension. The report is
    {system_kendall_tau_b, item_kendall_tau_b, dimensions: {name: {the same, outputs, items_used, items_one_constant,
    items_both_constant}}, bootstrap, undefined}, with `x_ci` beside each tau. A mean is undefined if a part is.

    Raises ValueError without a dimension.
    """
    if not scores:
        raise ValueError("there must be at least one dimension")
    figures: list[ItemSums] = []
    counts: dict[str, Report] = {}
    taus: list[tuple[ItemSums, ItemSums]] = []
    for name, (first, second) in scores.items():
        scored = scored_by_both(first, second)
        within_items = symmetric_taus(scored, outputs)
        both = system_tau(scored, outputs), within_items.ratios
        taus.append(both)
        figures += [under(("dimensions", name), sums) for sums in both]
        counts[name] = {
            "outputs": int(scored.output.size),
            "items_used": int(within_items.ratios.denominator.sum()),
            "items_one_constant": within_items.one_constant,
            "items_both_constant": within_items.both_constant,
        }
    figures += [MeanSums(parts) for parts in zip(*taus, strict=True)]
    report = interval_report(figures, outputs.items, replicates=replicates, seed=seed)
    for name, count in counts.items():
        within(report, ["dimensions", name]).update(count)
    return report
