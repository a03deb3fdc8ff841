"""The labels that models of raters find, which exports write: see `reports.figures.derived.computing.unit_labels`."""

from collections.abc import Collection

from reports.kept.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind


def ignored(choices: Choices) -> Collection[str]:
    """Machines' work changes no label of people."""
    return OF_MACHINES


REPORT = ReportKind("label_models", "reports.figures.derived.computing.unit_labels.kept_label_models", ignored)
