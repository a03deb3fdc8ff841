"""Wins, ties and losses of every system against one baseline (Liu et al. 2024, InstruSum, figure 3)."""

import numpy as np

from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from parts.papers.figures.system_outcomes import SystemOutcomes, mean_words, outcome_shares

NO_LENGTH = "no judged pair has two known lengths"


def baseline_report(
    outcomes: SystemOutcomes, baseline: str, *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """`systems`, by name: {items, win, tie, loss, words, baseline_words} of each one that met the baseline.

    Win, tie and loss are shares of the judged items, each with `x_ci`, from the system's side; lengths are means over
    the same items. `undefined` has the reasons. Raises ValueError for an unknown baseline.
    """
    met = outcomes.against(baseline)
    codes, group = np.unique(met.first, return_inverse=True)
    names = [met.systems[code] for code in codes.tolist()]
    shares = outcome_shares(met, group.astype(np.int64), [("systems", name) for name in names])
    report: Report = {"baseline": baseline, "systems": {}}
    report |= interval_report([shares], met.items, replicates=replicates, seed=seed)
    for number, name in enumerate(names):
        own = met.only(group == number)
        words = mean_words(own)
        of_system, of_baseline = words or (None, None)
        report["systems"][name] |= {"items": own.item.size, "words": of_system, "baseline_words": of_baseline}
        if words is None:
            undefined = {f"systems.{name}.{key}": NO_LENGTH for key in ("words", "baseline_words")}
            report["undefined"].update(undefined)
    return report
