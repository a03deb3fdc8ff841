"""Win rates in which a choice counts with the probability that the judge gave it (AlpacaEval 2).

The weight of a choice is the probability of the system's output, half of that of a tie added; a choice without
probabilities weighs 1, a tie 1/2 and a loss 0. A rate is the mean over items of the mean weight of an item's choices.

Source: Dubois, Galambosi, Liang and Hashimoto 2024, *Length-Controlled AlpacaEval*, section 2.
"""

from collections.abc import Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import SHARE
from agreement.intervals.bounded_intervals import clustered_mean
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import means_by

NAMES = ("weighted_win_rate", "win_rate")


def weighted_win_report(item: Ints, system: Ints, weight: Floats, won: Floats, systems: Sequence[str]) -> Report:
    """`systems`: {name: {weighted_win_rate, win_rate, comparisons, items}}, with intervals over items.

    Each entry of the arrays (R,) is a choice from the side of one of its two systems: its item, the system's code, the
    weight, and 1 for a win, 1/2 for a tie, 0 for a loss.
    """
    report: Report = {"systems": {}}
    for code in np.unique(system).tolist():
        own = system == code
        _, place = np.unique(item[own], return_inverse=True)
        items = int(place.max()) + 1
        entry: Report = {"comparisons": int(own.sum()), "items": items}
        for name, column in zip(NAMES, (weight[own], won[own]), strict=True):
            means = means_by(place, column, items)
            entry[name] = float(means.mean())
            if items > 1:
                entry[f"{name}_ci"] = list(clustered_mean(entry[name], means, np.ones(items), SHARE))
        report["systems"][systems[code]] = entry
    return report
