"""Estimates and their reasons put into a report: plain mappings that can be written as JSON."""

from collections.abc import Mapping
from typing import Any

from agreement.bootstrap import CONFIDENCE, Estimate, Key

Report = dict[str, Any]

LISTS = ("cohen_kappa_pairs", "kappa_linear_pairs", "kappa_quadratic_pairs")
"""Figures that are lists, one entry a pair of raters."""
MAPPINGS = frozenset(
    {"system_mean", "system_score", "system_win_or_tie_rate", "system_without_confirmed_span", "bradley_terry", *LISTS}
)
"""Figures with a number for each system, or pair of raters: their intervals stand by themselves, in `x_ci`."""


def place(report: Report, undefined: dict[str, str], estimates: Mapping[Key, Estimate]) -> None:
    """Put each figure at its key with its interval beside it, `x_ci`; lists become lists."""
    for key, figure in estimates.items():
        by_itself = key[0] in MAPPINGS
        *path, name = key
        interval = None if figure.interval is None else list(figure.interval)
        beside = (f"{key[0]}_ci", name) if by_itself else (*path, f"{name}_ci")
        within(report, path)[name] = figure.value
        within(report, beside[:-1])[beside[-1]] = interval
        if figure.reason is not None:
            undefined[".".join(key)] = figure.reason
        if figure.interval_reason is not None:
            undefined[".".join(beside)] = figure.interval_reason
    for name in LISTS:
        for spread in (name, f"{name}_ci"):
            if spread in report:
                report[spread] = [report[spread][str(number)] for number in range(len(report[spread]))]


def within(report: Report, path: list[str] | tuple[str, ...]) -> Report:
    """The mapping at `path`, made where it is missing."""
    for name in path:
        report = report.setdefault(name, {})
    return report


def complete(report: Report, names: tuple[str, ...]) -> None:
    """Empty mappings for figures of systems where there is no system."""
    for name in names:
        report.setdefault(name, {})
        report.setdefault(f"{name}_ci", {})


def resampling(estimates: Mapping[Key, Estimate], items: int, replicates: int, seed: int) -> Report:
    """How the intervals were made, and at how many replicates which figure is undefined."""
    return {
        "resampled": "items",
        "items": items,
        "replicates": replicates if items > 1 else 0,
        "seed": seed,
        "confidence": CONFIDENCE,
        "left_out": {".".join(key): figure.left_out for key, figure in estimates.items() if figure.left_out},
    }
