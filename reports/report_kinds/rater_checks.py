"""How careful each rater is: see `reports.figures.rater_checks_report`."""

from reports.kept.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind


def _ignored(choices: Choices) -> frozenset[str]:
    return OF_MACHINES


REPORT = ReportKind("rater_checks", "reports.figures.rater_checks_report.kept_rater_checks", _ignored, is_shown=True)
