"""Figures that only studies of one protocol have: a module for each such protocol, found by the registry."""

from abc import ABC, abstractmethod
from typing import Any

from annotation.models import Study
from config.registry import discover


class OwnFigures(ABC):
    """A protocol's own part of the report: `key` is the protocol's, `template` what prints `shown`."""

    key: str
    template: str

    @abstractmethod
    def report(self, study: Study, *, waiting: bool = False) -> dict[str, Any]:
        """Plain values, ready for JSON; where somebody is `waiting`, without what would take them too long."""

    @abstractmethod
    def shown(self, report: dict[str, Any]) -> Any:
        """What the template prints of a report."""


def own_figures(study: Study) -> OwnFigures | None:
    """What the study's protocol adds to its report; None for most."""
    found: OwnFigures | None = discover("own_figures", "OWN_FIGURES").get(study.protocol)
    return found
