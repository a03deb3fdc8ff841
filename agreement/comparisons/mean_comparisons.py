"""Paired tests between the means of systems over the items that they share (Student's t, Wilcoxon 1945)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.rounding import without_noise
from agreement.catalogue.p_values import MEANS, keys_of
from agreement.comparisons.holm import add_holm
from agreement.comparisons.signed_ranks import signed_rank_p

TOO_FEW = "the two systems share fewer than two items"
NO_DIFFERENCE = "the two systems differ on no item"
CONSTANT = "the difference is the same on every item"
TESTS = keys_of(MEANS)
AT_ONCE = 1_000_000
"""Differences held at once."""


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
    for a, others, differences in _differences(table):
        tests = _tests(differences, scale)
        for place in np.flatnonzero(tests.items).tolist():
            pair = [systems[a], systems[others[place]]]
            row, reasons = tests.row(place)
            rows.append({"systems": pair, **row})
            undefined |= {f"comparisons.{pair[0]}.{pair[1]}.{name}": why for name, why in reasons.items()}
    add_holm(rows, TESTS)
    return rows, undefined


def _differences(table: Floats) -> Iterator[tuple[int, Ints, Floats]]:
    """Each system's code, those of some later systems, and the differences to them (others, items) or NaN."""
    systems = table.shape[1]
    for a in range(systems - 1):
        own = table[~np.isnan(table[:, a])]
        at_once = max(1, AT_ONCE // max(len(own), 1))
        for begin in range(a + 1, systems, at_once):
            others = np.arange(begin, min(begin + at_once, systems))
            yield a, others, np.ascontiguousarray((own[:, [a]] - own[:, others]).T)


@dataclass(frozen=True)
class _Tests:
    """The tests of some pairs of systems (pairs,); NaN if undefined."""

    items: Ints
    mean_difference: Floats
    differ: NDArray[np.bool_]
    t: Floats
    t_p: Floats
    wilcoxon_p: Floats

    def row(self, place: int) -> tuple[dict[str, Any], dict[str, str]]:
        """The row of one pair, and the reasons for what it lacks."""
        found = {
            name: None if np.isnan(value := float(getattr(self, name)[place])) else value
            for name in ("mean_difference", "t", "t_p", "wilcoxon_p")
        }
        reasons: dict[str, str] = {} if found["mean_difference"] is not None else {"mean_difference": TOO_LARGE}
        if self.items[place] < 2:
            reasons |= dict.fromkeys(TESTS, TOO_FEW)
        elif not self.differ[place]:
            reasons |= dict.fromkeys(TESTS, NO_DIFFERENCE)
        elif found["t_p"] is None:
            reasons["t_p"] = CONSTANT
        return {"items": int(self.items[place]), **found}, reasons


def _tests(difference: Floats, scale: float) -> _Tests:
    """The tests from differences (pairs, items) in units of `scale`, NaN if an item is not shared."""
    shared = ~np.isnan(difference)
    items = np.count_nonzero(shared, axis=1)
    mean = np.where(shared, difference, 0.0).sum(axis=1) / np.maximum(items, 1)
    mean = without_noise(mean)
    # Rounding errors in the last bits of means must not count as differences or ranks.
    rounded = np.where(shared, np.round(difference, 12), 0.0)
    low = np.where(shared, rounded, np.inf).min(axis=1, initial=np.inf)
    high = np.where(shared, rounded, -np.inf).max(axis=1, initial=-np.inf)
    differ = np.asarray(rounded.any(axis=1))
    varies, tested = (items > 1) & (high > low), (items > 1) & differ
    centred = np.where(shared, rounded - (rounded.sum(axis=1) / np.maximum(items, 1))[:, None], 0.0)
    error = np.sqrt((centred * centred).sum(axis=1) / np.maximum(items - 1, 1) / np.maximum(items, 1))
    statistic = np.divide(mean, error, out=np.full(items.size, np.nan), where=varies)
    signed_ranks = np.full(items.size, np.nan)
    if tested.any():
        signed_ranks[tested] = signed_rank_p(rounded[tested], items[tested])
    with np.errstate(over="ignore"):
        scaled = mean * scale
    return _Tests(
        items=items,
        mean_difference=np.where(np.isfinite(scaled), scaled, np.nan),
        differ=differ,
        t=statistic,
        t_p=2 * student_t.sf(np.abs(statistic), np.maximum(items - 1, 1)),
        wilcoxon_p=signed_ranks,
    )
