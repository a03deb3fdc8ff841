"""The labels that models of raters find, which exports write: see `parts.datasets.unit_labels`."""

from collections.abc import Collection

from parts.datasets.dataset_tables import LABEL_MODELS
from reports.kept.data_state import OF_MACHINES
from reports.report_kinds import Choices, ReportKind


def ignored(choices: Choices) -> Collection[str]:
    """Machines' work changes no label of people."""
    return OF_MACHINES


REPORT = ReportKind(LABEL_MODELS, "parts.datasets.unit_labels.kept_label_models", ignored)
