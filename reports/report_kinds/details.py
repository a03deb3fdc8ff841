"""What reports say beyond agreement, and how the study was done: see `reports.figures.details_report`."""

from collections.abc import Collection
from typing import Any

from reports.figures.rows import PEOPLE
from reports.report_kinds import ReportKind
from reports.report_kinds.agreement import SORTED, ignored, of_excluded, of_pairs


def details_choices(
    kinds: Collection[str] = PEOPLE,
    names: Collection[str] = (),
    guidelines: int | str | None = None,
    excluded: str = "",
    pair_coding: str = "",
) -> dict[str, Any]:
    """The choices of the report as they are kept."""
    chosen = {"kinds": sorted({*kinds}), "raters": sorted({*names}), "guidelines": guidelines}
    return chosen | of_excluded(excluded) | of_pairs(pair_coding == SORTED)


REPORT = ReportKind("details", "reports.figures.details_report.kept_details", ignored, version=2, is_shown=True)
