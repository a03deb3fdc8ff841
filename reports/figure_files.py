"""The reports that an export holds as JSON files, from the kept reports if they are of the current state of the data.

Reports take long and are computed from thousands of draws, so `keep_figures` computes what is missing before an export
takes its snapshot, in a command or a worker; never in a web process. If the data change between the two, the report is
computed again from the snapshot, and not kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Rater, Rating, Study
from annotation.pools import in_main_pool
from reports.kept_reports import compute_here, is_kept, kept_figures
from reports.protocol_figures import protocol_figures
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


LABEL_MODELS = "label_models"
"""The kind of report from which the table of aggregated labels takes what takes longest."""
AGREEMENT = FigureFile("agreement.json", "agreement", agreement_choices(), _answered)
FIGURE_FILES = (
    AGREEMENT,
    FigureFile("meta_evaluation.json", "meta_evaluation", comparison_choices(), _compared),
    FigureFile("session_report.json", "session", {"labeller": None}, _has_sessions),
)


def keep_figures(study: Study) -> None:
    """Compute and keep what an export takes from kept reports and is not kept yet. Raises ImportPendingError."""
    for file in FIGURE_FILES:
        if file.applies(study) and not is_kept(study, file.kind, file.choices):
            compute_here(study, file.kind, file.choices)
    if _answered(study) and not is_kept(study, LABEL_MODELS, {}):
        compute_here(study, LABEL_MODELS, {})


def agreement_figures(study: Study) -> Mapping[str, Any] | None:
    """The agreement of people as `agreement.json` has it, or None; call it in the export's snapshot."""
    return _figures(study, AGREEMENT) if AGREEMENT.applies(study) else None


def figure_texts(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file with a report; call it in the export's snapshot."""
    for file in FIGURE_FILES:
        if file.applies(study):
            yield file.name, json.dumps(_figures(study, file), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _figures(study: Study, file: FigureFile) -> Mapping[str, Any]:
    figures = kept_figures(study, file.kind, file.choices)
    return report_kinds()[file.kind].compute(study, file.choices) if figures is None else figures
