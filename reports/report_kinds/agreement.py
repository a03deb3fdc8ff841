"""The agreement report: see `reports.figures.agreement_report`."""

from collections.abc import Collection
from typing import Any

from reports.figures.rows import PEOPLE
from reports.kept.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind

WITH, WITHOUT = "with", "without"
EXCHANGEABLE, SORTED = "exchangeable", "sorted"
"""How first and second of a pair are coded in figures corrected for chance: see `agreement.arrays.pair_sides`."""


def agreement_choices(
    kinds: Collection[str] = PEOPLE,
    names: Collection[str] = (),
    guidelines: int | str | None = None,
    categories: bool = False,
    excluded: str = "",
    pair_coding: str = "",
) -> dict[str, Any]:
    """The choices of an agreement report as they are kept; those of the default report without arguments."""
    given = {"kinds": sorted({*kinds}), "raters": sorted({*names}), "guidelines": guidelines, "categories": categories}
    return given | of_excluded(excluded) | of_pairs(pair_coding == SORTED)


def of_excluded(excluded: str) -> dict[str, str]:
    """The choice to leave excluded raters out as it is kept; nothing if their answers count, as in older reports."""
    return {"excluded": WITHOUT} if excluded == WITHOUT else {}


def leaves_out(choices: Choices) -> bool:
    """Whether the choices of a report leave excluded raters out."""
    return choices.get("excluded") == WITHOUT


def of_pairs(by_name: bool) -> dict[str, str]:
    """How the outputs of pairs are told apart, in choices and in reports; nothing if they are exchangeable."""
    return {"pair_coding": SORTED} if by_name else {}


def tells_pairs_apart(choices: Choices) -> bool:
    """Whether figures corrected for chance tell the outputs of a pair apart by name."""
    return choices.get("pair_coding") == SORTED


def ignored(choices: Choices) -> Collection[str]:
    """Machines' work changes no figure about people."""
    return OF_MACHINES if set(choices["kinds"]) <= PEOPLE and not choices["raters"] else ()


REPORT = ReportKind(
    "agreement", "reports.figures.agreement_report.kept_agreement_report", ignored, version=4, is_shown=True
)
