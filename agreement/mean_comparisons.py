"""Paired tests between the means of systems over the items that they share (Student's t, Wilcoxon 1945)."""

from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import rankdata, t, wilcoxon

from agreement.bootstrap import TOO_LARGE
from agreement.holm import add_holm
from agreement.rating_arrays import Floats, Ints

TOO_FEW = "the two systems share fewer than two items"
NO_DIFFERENCE = "the two systems differ on no item"
CONSTANT = "the difference is the same on every item"
TESTS = ("t_p", "wilcoxon_p")
MOST_SIGNS = 13
"""With at most as many differences, all their signs are tried if some are tied or 0."""


def mean_comparisons(
    item: Ints, system: Ints, value: Floats, systems: tuple[str, ...]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The tests of every pair of systems, and the reasons for undefined ones.

    `item`, `system` and `value` are (N,), with at most one entry per item and system. A row is {systems: [a, b],
    items, mean_difference (a minus b), t, t_p, wilcoxon_p, t_p_holm, wilcoxon_p_holm}; p-values are two-sided. Pairs
    without a shared item are left out. A reason is named comparisons.<a>.<b>.<test>.
    """
    _, item = np.unique(item, return_inverse=True)
    value = np.where(np.isfinite(value), value, np.nan)  # a mean too large for a float cannot be compared
    scale = float(np.nanmax(np.abs(value), initial=0.0)) or 1.0
    table = np.full((int(item.max(initial=-1)) + 1, len(systems)), np.nan)
    table[item, system] = value / scale
    rows: list[dict[str, Any]] = []
    undefined: dict[str, str] = {}
    for a, b in combinations(range(len(systems)), 2):
        difference = table[:, a] - table[:, b]
        difference = difference[~np.isnan(difference)]
        if difference.size:
            row, reasons = _compare(difference, scale)
            rows.append({"systems": [systems[a], systems[b]], **row})
            undefined |= {f"comparisons.{systems[a]}.{systems[b]}.{name}": why for name, why in reasons.items()}
    add_holm(rows, TESTS)
    return rows, undefined


def _compare(difference: Floats, scale: float) -> tuple[dict[str, Any], dict[str, str]]:
    """The tests of one pair of systems from their differences (items,), in units of `scale`."""
    n, mean = difference.size, float(difference.mean())
    # Rounding errors in the last bits of means must not count as differences or ranks.
    difference = np.round(difference, 12)
    row: dict[str, Any] = {"items": n, "mean_difference": mean * scale, "t": None, "t_p": None, "wilcoxon_p": None}
    reasons: dict[str, str] = {}
    if not np.isfinite(row["mean_difference"]):
        row["mean_difference"], reasons["mean_difference"] = None, TOO_LARGE
    if n < 2:
        return row, {**reasons, **dict.fromkeys(TESTS, TOO_FEW)}
    if not difference.any():
        return row, {**reasons, **dict.fromkeys(TESTS, NO_DIFFERENCE)}
    row["wilcoxon_p"] = _signed_rank_p(difference)
    if np.ptp(difference) == 0:
        return row, {**reasons, "t_p": CONSTANT}
    row["t"] = mean / (float(difference.std(ddof=1)) / n**0.5)
    row["t_p"] = float(2 * t.sf(abs(row["t"]), n - 1))
    return row, reasons


def _signed_rank_p(difference: Floats) -> float:
    """The two-sided p-value of Wilcoxon's signed-rank test; differences of 0 are left out.

    The same value as scipy's, which takes a second to try all signs of a few tied differences.
    """
    size = np.abs(difference[difference != 0])
    tied = size.size < difference.size or np.unique(size).size < size.size
    if not tied or difference.size > MOST_SIGNS:
        return float(wilcoxon(difference).pvalue)
    ranks = rankdata(size)
    observed = float(ranks[difference[difference != 0] > 0].sum())
    signs = np.arange(2**size.size)[:, None] >> np.arange(size.size) & 1
    sums = signs @ ranks  # multiples of a half, which compare exactly
    return min(1.0, 2 * min(float((sums <= observed).mean()), float((sums >= observed).mean())))
