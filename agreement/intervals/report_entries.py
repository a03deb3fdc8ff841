"""Placing estimates and the reasons for undefined ones in a report of plain values."""

from collections.abc import Mapping
from typing import Any

from agreement.intervals.bootstrap import CONFIDENCE, Estimate, Key

Report = dict[str, Any]

LISTS = ("cohen_kappa_pairs", "kappa_linear_pairs", "kappa_quadratic_pairs")
"""Figures that are lists, with one entry per pair of raters."""
MAPPINGS = frozenset(
    {
        "system_mean",
        "system_score",
        "system_win_or_tie_rate",
        "system_without_confirmed_span",
        "system_error_free_least",
        "system_error_free_most",
        "system_best_worst",
        "system_severity",
        "system_severity_per_100_words",
        "system_best_share",
        "system_worst_share",
        "bradley_terry",
        *LISTS,
    }
)
"""Figures with a number per system, or per pair of raters: their intervals are in a mapping of their own, `x_ci`.

Those of systems have the number of items that each rests on in another, `x_items`.
"""


def place(report: Report, undefined: dict[str, str], estimates: Mapping[Key, Estimate]) -> None:
    """Put each figure at its key, with its interval beside it as `x_ci`, and of a system its items as `x_items`."""
    for key, figure in estimates.items():
        by_itself = key[0] in MAPPINGS
        *path, name = key
        interval = None if figure.interval is None else list(figure.interval)
        beside = (f"{key[0]}_ci", name) if by_itself else (*path, f"{name}_ci")
        within(report, path)[name] = figure.value
        within(report, beside[:-1])[beside[-1]] = interval
        if by_itself and figure.items is not None and key[0] not in LISTS:
            within(report, (f"{key[0]}_items",))[name] = figure.items
        if figure.reason is not None:
            undefined[".".join(key)] = figure.reason
        if figure.interval_reason is not None:
            undefined[".".join(beside)] = figure.interval_reason
    for name in LISTS:
        for spread in (name, f"{name}_ci"):
            if spread in report:
                report[spread] = [report[spread][str(number)] for number in range(len(report[spread]))]


def placed(estimates: Mapping[Key, Estimate]) -> Report:
    """A report of its own with these figures and the reasons for undefined ones."""
    report: Report = {}
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    return report | {"undefined": undefined}


def within(report: Report, path: list[str] | tuple[str, ...]) -> Report:
    """The mapping at `path`, created if it is missing."""
    for name in path:
        report = report.setdefault(name, {})
    return report


def complete(report: Report, names: tuple[str, ...]) -> None:
    """Add empty mappings for figures of systems if there is no system."""
    for name in names:
        report.setdefault(name, {})
        report.setdefault(f"{name}_ci", {})
        if name != "bradley_terry":
            report.setdefault(f"{name}_items", {})


def resampling(estimates: Mapping[Key, Estimate], items: int, replicates: int, seed: int) -> Report:
    """A record of the resampling, with the number of replicates for which each figure is undefined."""
    return {
        "resampled": "items",
        "items": items,
        "replicates": replicates if items > 1 else 0,
        "seed": seed,
        "confidence": CONFIDENCE,
        "left_out": {".".join(key): figure.left_out for key, figure in estimates.items() if figure.left_out},
    }
