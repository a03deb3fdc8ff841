"""The meta-evaluation, and the tables of parts in it: see `reports.figures.meta_evaluation_report`."""

from collections.abc import Collection
from typing import Any

from reports.comparison_tables import comparison_questions
from reports.report_kinds import ReportKind
from reports.report_kinds.agreement import SORTED, of_pairs

MACHINE_KINDS = ("metric", "model")
EPSILON = 0.1
"""The advantage of people in the alternative-annotator test by default: the paper's for crowds, its strictest."""


def comparison_choices(
    kinds: Collection[str] | None = None,
    raters: Collection[str] = (),
    people: Collection[str] = (),
    across: Collection[str] = (),
    guidelines: int | str | None = None,
    categories: bool = False,
    positive: str | None = None,
    panel: Collection[str] = (),
    epsilon: float | None = None,
    pair_coding: str = "",
    **questions: str | None,
) -> dict[str, Any]:
    """The choices of a meta-evaluation as they are kept; those of the leaderboard without arguments.

    `questions` are those for which tables of parts ask.
    """
    return {
        "kinds": sorted({*(MACHINE_KINDS if kinds is None else kinds)}),
        "raters": sorted({*raters}),
        "people": sorted({*people}),
        "across": sorted({*across}),
        "guidelines": guidelines,
        "categories": categories,
        **{one.name: questions.get(one.name) or None for one in comparison_questions()},
        "positive": positive or None,
        "panel": sorted({*panel}),
        "epsilon": EPSILON if epsilon is None else float(epsilon),
        **of_pairs(pair_coding == SORTED),
    }


REPORT = ReportKind(
    "meta_evaluation", "reports.figures.meta_evaluation_report.kept_meta_evaluation", version=3, is_shown=True
)
