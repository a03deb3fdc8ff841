"""The balance of orders and sides: see `reports.figures.balance_report`."""

from collections.abc import Collection

from reports.kept.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind


def ignored(choices: Choices) -> Collection[str]:
    """Machines' work changes no order that people saw."""
    return OF_MACHINES


REPORT = ReportKind("balance", "reports.figures.balance_report.kept_balance", ignored)
