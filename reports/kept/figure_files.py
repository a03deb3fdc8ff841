"""Exports with derived tables and reports, from the kept reports if they are of the current state of the data.

Reports take long and are computed from thousands of draws, so `keep_figures` computes what is missing before an export
takes its snapshot, in a command or a worker; never in a web process. If the data change between the two, the report is
computed again from the snapshot, and not kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accounts.models import Person
from agreement.catalogue.report_catalogue import FIGURES
from annotation.models import Rater, Rating, Study
from annotation.pools import in_main_pool
from config.parts import parts
from files.writing import export_study
from files.writing.table_list import DERIVED, ComputedFiles, DerivedTable
from reports.figures.protocol_figures import protocol_figures
from reports.kept.kept_reports import compute_here, is_kept, kept_figures
from reports.report_kinds import report_kinds
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices
from sessions.files.session_counts import has_sessions

HUMAN = Rater.Kind.HUMAN.value


@dataclass(frozen=True)
class FigureFile:
    """A file with a report: its name, the kind of report, its choices, and whether a study has something to report."""

    name: str
    kind: str
    choices: Mapping[str, Any]
    applies: Callable[[Study], bool]


def _answered(study: Study) -> bool:
    return _ratings(study).filter(rater__kind=HUMAN).exists()


def _compared(study: Study) -> bool:
    return _answered(study) and _ratings(study).exclude(rater__kind=HUMAN).exists()


def _has_sessions(study: Study) -> bool:
    return protocol_figures(study) is not None and has_sessions(study)


def _ratings(study: Study) -> Any:
    return Rating.objects.filter(in_main_pool(study), study=study, is_current=True)


AGREEMENT = FigureFile("agreement.json", "agreement", agreement_choices(), _answered)
FIGURE_FILES = (
    AGREEMENT,
    FigureFile("meta_evaluation.json", "meta_evaluation", comparison_choices(), _compared),
    FigureFile("session_report.json", "session", {"labeller": None}, _has_sessions),
)


def _derived_tables() -> list[DerivedTable]:
    """The tables that parts add."""
    return [table for part in parts() for table in part.derived_tables]


def keep_figures(study: Study) -> None:
    """Compute and keep what an export takes from kept reports and is not kept yet. Raises ImportPendingError."""
    wanted = [(file.kind, file.choices) for file in FIGURE_FILES if file.applies(study)]
    if _answered(study):
        wanted += [(table.report, {}) for table in _derived_tables() if table.report]
    for kind, choices in wanted:
        if not is_kept(study, kind, choices):
            compute_here(study, kind, choices)


def export_with_figures(
    study: Study, out: Path, form: str = "jsonl", actor: Person | None = None, via: str = ""
) -> dict[str, Any]:
    """Export the study with its derived tables and reports, and a card that states the agreement of people.

    For commands and workers, because that may take minutes. Raises ExportRefusedError and ImportPendingError.
    """
    keep_figures(study)
    computed = ComputedFiles(_derived_tables(), _figure_texts, _stated_agreement)
    return export_study(study, out, form, actor, via, computed)


def _stated_agreement(study: Study) -> list[dict[str, Any]]:
    """Return the figures that the card states: a row per question."""
    if not AGREEMENT.applies(study):
        return []
    questions = _figures(study, AGREEMENT)["questions"]
    return [{"question": key, "figures": stated} for key, one in questions.items() if (stated := _coefficients(one))]


def _coefficients(report: Mapping[str, Any]) -> list[str]:
    """Return the question's coefficients of agreement, with their intervals if they have some."""
    found = []
    for key, figure in FIGURES.items():
        value, interval = report.get(key), report.get(f"{key}_ci")
        if figure.unit in ("alpha", "kappa") and isinstance(value, float):
            between = f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""
            found.append(f"{figure.title} {value:.3f}{between}")
    return found


def _figure_texts(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file with a report."""
    for file in FIGURE_FILES:
        if file.applies(study):
            yield (
                f"{DERIVED}/{file.name}",
                json.dumps(_figures(study, file), indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            )


def _figures(study: Study, file: FigureFile) -> Mapping[str, Any]:
    figures = kept_figures(study, file.kind, file.choices)
    return report_kinds()[file.kind].compute(study, file.choices) if figures is None else figures
