"""The agreement report: see `reports.agreement_report`."""

from collections.abc import Collection
from typing import Any

from reports.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind
from reports.rows import PEOPLE


def agreement_choices(
    kinds: Collection[str] = PEOPLE,
    names: Collection[str] = (),
    guidelines: int | str | None = None,
    categories: bool = False,
) -> dict[str, Any]:
    """The choices of an agreement report as they are kept; those of the default report without arguments."""
    return {"kinds": sorted(kinds), "raters": sorted(names), "guidelines": guidelines, "categories": categories}


def ignored(choices: Choices) -> Collection[str]:
    """Machines' work changes no figure about people."""
    return OF_MACHINES if set(choices["kinds"]) <= PEOPLE and not choices["raters"] else ()


REPORT = ReportKind("agreement", "reports.agreement_report.kept_agreement_report", ignored, version=3)
