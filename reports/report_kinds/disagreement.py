"""Why raters disagree: see `reports.figures.rater_disagreement`."""

from collections.abc import Collection
from typing import Any

from reports.figures.rows import PEOPLE
from reports.report_kinds import ReportKind
from reports.report_kinds.agreement import SORTED, of_excluded, of_pairs
from reports.report_kinds.agreement import ignored as ignored_of_kinds


def disagreement_choices(
    kinds: Collection[str] = PEOPLE, guidelines: int | str | None = None, excluded: str = "", pair_coding: str = ""
) -> dict[str, Any]:
    """The choices of the report as they are kept."""
    chosen = {"kinds": sorted({*kinds}), "guidelines": guidelines}
    return chosen | of_excluded(excluded) | of_pairs(pair_coding == SORTED)


def _ignored(choices: Any) -> Collection[str]:
    return ignored_of_kinds({**choices, "raters": ()})


REPORT = ReportKind(
    "disagreement", "reports.figures.rater_disagreement.kept_disagreement", _ignored, version=2, is_shown=True
)
