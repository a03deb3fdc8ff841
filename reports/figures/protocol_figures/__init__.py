"""Figures that only studies of one protocol have: one module per protocol, found by the registry."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Question, Study
from config.registry import discover


class ProtocolFigures(ABC):
    """A protocol's own part of the report: `key` is the protocol's, `template` prints the section on the page.

    `report_kind` is the kind of report that has its figures; its only choice is `labeller`.
    """

    key: str
    template: str
    report_kind: str

    def owned_labels(
        self, study: Study, question: Question
    ) -> Mapping[tuple[int, int | None, str], tuple[str, Sequence[str]]]:
        """The label of each unit's owner and those of others, by its item, output and variant; empty without owners."""
        return {}

    def folded_labels(self, question: Question) -> Mapping[str, str]:
        """The labels that judges may leave out, with the one that then stands for each."""
        return {}

    @abstractmethod
    def section(self, report: dict[str, Any]) -> Any:
        """The values that the template prints of a report: it has `tables`, and `sorted_by(sorting)`."""


def protocol_figures(study: Study) -> ProtocolFigures | None:
    """The own part of the study's protocol in its report; None for most protocols."""
    found: ProtocolFigures | None = discover("figures.protocol_figures", "PROTOCOL_FIGURES").get(study.protocol)
    return found
