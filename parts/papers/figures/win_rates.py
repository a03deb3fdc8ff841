"""Expected win rates of systems against a baseline: a leaderboard, overall and by category (HREF, 4.2 and 4.3).

A system's expected win rate is the share of items on which the judge prefers its output to the baseline's or calls a
tie. An item judged several times counts once, with the share of its judgments.
"""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import Discrete, ItemSums, Key, Ratios, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import rounded
from parts.papers.figures.category_agreement import ItemCategories
from parts.papers.figures.system_outcomes import SystemOutcomes

NAME = "expected_win_rate"
NOT_JUDGED = "no item of this kind has a judgment of the system against the baseline"


@dataclass(frozen=True)
class PreferenceTable:
    """How each system fared on each item: `value` (I, S), 1 for a win or a tie, 0 for a loss, NaN if not judged."""

    value: Floats
    systems: tuple[str, ...]

    @property
    def sums(self) -> tuple[Floats, Floats]:
        """The values with 0 for those not judged, and 1 for each judged one, (I, S) each."""
        known = np.isfinite(self.value)
        return np.where(known, self.value, 0.0), known.astype(np.float64)


def preference_table(outcomes: SystemOutcomes, baseline: str) -> PreferenceTable:
    """The systems that met the baseline, which is not among them. Raises ValueError for an unknown baseline."""
    met = outcomes.against(baseline)
    codes, column = np.unique(met.first, return_inverse=True)
    value = np.full((met.items, codes.size), np.nan)
    value[met.item, column] = met.shares[:, 0] + met.shares[:, 1]
    return PreferenceTable(value, tuple(met.systems[code] for code in codes.tolist()))


@dataclass(frozen=True)
class SystemRanks(Discrete):
    """Each system's rank by its rate: 1 plus the number of systems with a higher one."""

    rates: Ratios
    systems: tuple[str, ...]

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(("systems", name, "rank") for name in self.systems)

    def at(self, weights: Floats) -> Floats:
        rates = rounded(self.rates.at(weights))
        known = np.isfinite(rates)
        ranks = rankdata(np.where(known, -rates, np.inf), method="min", axis=1)
        return np.where(known, ranks, np.nan)

    def reason(self, key: Key) -> str:
        return NOT_JUDGED


def system_rates(table: PreferenceTable) -> Shares:
    """The expected win rate of each system over its items."""
    total, count = table.sums
    return Shares(
        tuple(("systems", name, NAME) for name in table.systems), total, count, (NOT_JUDGED,) * total.shape[1]
    )


def win_rate_report(
    table: PreferenceTable,
    baseline: str,
    categories: ItemCategories | None = None,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`systems`, the best first: {expected_win_rate, rank, items, categories: {name: {expected_win_rate, items}}}.

    Shares are in 0..1 with `x_ci`; `rank_ci` is the 95 % interval of the rank over draws of items, widened to whole
    ranks. `undefined` has the reasons. Raises ValueError for categories of another number of items.
    """
    total, count = table.sums
    rates = system_rates(table)
    figures: list[ItemSums] = [rates, SystemRanks(rates, table.systems)]
    names, member = (categories.names, categories.member) if categories else ((), np.zeros((total.shape[0], 0)))
    if member.shape[0] != total.shape[0]:
        raise ValueError("there must be categories for each item")
    for name, own in zip(names, member.T, strict=True):
        keys = tuple(("systems", system, "categories", name, NAME) for system in table.systems)
        figures.append(Shares(keys, total * own[:, None], count * own[:, None], (NOT_JUDGED,) * len(keys)))
    report = interval_report(figures, total.shape[0], replicates=replicates, seed=seed)
    systems = report.get("systems", {})
    for column, system in enumerate(table.systems):
        entry, own = systems[system], count[:, column]
        entry["items"] = int(own.sum())
        if entry["rank"] is not None:
            entry["rank"] = int(entry["rank"])
        if entry["rank_ci"] is not None:
            entry["rank_ci"] = [int(np.floor(entry["rank_ci"][0])), int(np.ceil(entry["rank_ci"][1]))]
        entry.setdefault("categories", {})
        for name, of_category in zip(names, member.T, strict=True):
            entry["categories"][name]["items"] = int((own * of_category).sum())
    ordered = sorted(systems, key=lambda name: (systems[name]["rank"] or len(systems) + 1, name))
    return {"baseline": baseline, **report, "systems": {name: systems[name] for name in ordered}}
