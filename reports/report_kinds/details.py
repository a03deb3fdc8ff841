"""What reports say beyond agreement, and how the study was done: see `reports.details_report`."""

from collections.abc import Collection
from typing import Any

from reports.report_kinds import ReportKind
from reports.report_kinds.agreement import ignored, of_excluded
from reports.rows import PEOPLE


def details_choices(
    kinds: Collection[str] = PEOPLE,
    names: Collection[str] = (),
    guidelines: int | str | None = None,
    excluded: str = "",
) -> dict[str, Any]:
    """The choices of the report as they are kept."""
    return {"kinds": sorted(kinds), "raters": sorted(names), "guidelines": guidelines} | of_excluded(excluded)


REPORT = ReportKind("details", "reports.details_report.kept_details", ignored, is_shown=True)
