"""How well items tell systems apart: paired t-tests of all pairs, and p-values by sample size (HREF, 4.4, figure 6).

A system's value on an item is 1 if the judge prefers it to the baseline or calls a tie, else 0. The curve draws subsets
of each size without replacement, pools the p-values of all pairs of systems over the subsets, and gives their 90th
quantile and the share below 0.05. Below 0.05, the quantile says that 90 % of the pairs of systems can be told apart.
"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import t

from agreement.arrays.rating_arrays import Floats
from agreement.comparisons.mean_comparisons import mean_comparisons
from agreement.intervals.interval_report import SEED
from agreement.intervals.report_entries import Report
from parts.papers.figures.win_rates import PreferenceTable

LEVEL = 0.05
QUANTILE = 0.9
SUBSETS = 100
TOO_FEW_ITEMS = "fewer items than this were judged for all systems"
TOO_SMALL = "a t-test needs at least two items"
TOO_FEW_SYSTEMS = "there are fewer than two systems"
ONE_SUBSET = "there is only one subset of this size, or one was drawn"
FIGURES = ("p_quantile_90", "share_below_05", "share_below_05_sd")
NO_TEST = "no pair of systems can be tested"
STEPS = (1, 2, 5)
SMALLEST = 10
TINY = 1e-9
"""Differences of values in 0..1 below this are rounding errors."""


def separation_report(
    table: PreferenceTable, sizes: Sequence[int], *, subsets: int = SUBSETS, seed: int = SEED
) -> Report:
    """`comparisons` of all pairs of systems over their shared items, and the `curve` by sample size.

    Comparisons are those of `agreement.comparisons.mean_comparisons`: paired t-tests with Holm's correction;
    `share_below_05` and `share_below_05_holm` are the shares of the tested pairs with such a p-value, and `tested` is
    their number. An entry of the curve is {size, subsets, p_quantile_90, share_below_05, share_below_05_sd}, the last
    the standard deviation of the share over subsets. The curve uses the `complete_items`, which were judged for all
    systems.
    """
    known = np.isfinite(table.value)
    item, system = np.nonzero(known)
    rows, undefined = mean_comparisons(item, system, table.value[known], table.systems)
    tested = [row for row in rows if row["t_p"] is not None]
    shares: Report = {}
    for name, key in (("share_below_05", "t_p"), ("share_below_05_holm", "t_p_holm")):
        shares[name] = sum(row[key] < LEVEL for row in tested) / len(tested) if tested else None
        if not tested:
            undefined[name] = NO_TEST
    complete = table.value[known.all(axis=1)] if len(table.systems) else table.value[:0]
    curve, reasons = _curve(complete, sizes, subsets, seed)
    return {
        "systems": list(table.systems),
        "comparisons": rows,
        "tested": len(tested),
        **shares,
        "complete_items": complete.shape[0],
        "curve": curve,
        "seed": seed,
        "undefined": undefined | reasons,
    }


def _curve(values: Floats, sizes: Sequence[int], subsets: int, seed: int) -> tuple[list[Report], dict[str, str]]:
    """The entry of each size, and the reasons for undefined figures."""
    items, systems = values.shape
    curve: list[Report] = []
    undefined: dict[str, str] = {}
    rng = np.random.default_rng(seed)
    for place, size in enumerate(sizes):
        refused = [
            (systems < 2, TOO_FEW_SYSTEMS), (size < 2, TOO_SMALL), (size > items, TOO_FEW_ITEMS)
        ]  # fmt: skip
        reason = next((text for wrong, text in refused if wrong), None)
        drawn = 0 if reason else 1 if size == items else subsets
        entry: Report = {"size": size, "subsets": drawn, **dict.fromkeys(FIGURES)}
        if drawn:
            p = np.stack([paired_t_p(values[rng.permutation(items)[:size]]) for _ in range(drawn)])
            below = (p < LEVEL).mean(axis=1)
            entry |= {"p_quantile_90": float(np.quantile(p, QUANTILE)), "share_below_05": float(below.mean())}
            if drawn > 1:
                entry["share_below_05_sd"] = float(below.std(ddof=1))
        why = reason or ONE_SUBSET
        undefined |= {f"curve.{place}.{name}": why for name in FIGURES if entry[name] is None}
        curve.append(entry)
    return curve, undefined


def paired_t_p(values: Floats) -> Floats:
    """The two-sided p-value of each pair of systems, (S (S - 1) / 2,), from complete values (n, S), n of 2 or more.

    Reading: two systems that differ on no item have p = 1; a difference that is the same on all items, but not 0, has
    p = 0. A paired t-test of either is undefined, and `mean_comparisons` gives no `t_p`; but leaving them out of the
    curve would make the pairs look easier to tell apart.
    """
    n = values.shape[0]
    one, other = np.triu_indices(values.shape[1], 1)
    mean = values.mean(axis=0)
    centred = values - mean
    products = centred.T @ centred
    squares = products[one, one] + products[other, other] - 2 * products[one, other]
    difference = mean[one] - mean[other]
    error = np.sqrt(np.maximum(squares, 0) / (n - 1) / n)
    same = error < TINY
    statistic = np.divide(difference, error, out=np.zeros(error.size), where=~same)
    p = 2 * t.sf(np.abs(statistic), n - 1)
    return np.asarray(np.where(same, np.where(np.abs(difference) < TINY, 1.0, 0.0), p))


def sample_sizes(items: int) -> list[int]:
    """10, 20, 50, 100 and so on, below the number of items, and that number itself; empty for fewer than two items."""
    sizes, power = [], SMALLEST
    while power < items:
        sizes += [step * power for step in STEPS if step * power < items]
        power *= 10
    return [*sizes, items] if items > 1 else []
