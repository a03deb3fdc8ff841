"""Kinds of reports that are kept: one module per kind, which binds `REPORT` and is found by the registry."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.module_loading import import_string

from annotation.models import Study
from config.registry import discover

Choices = Mapping[str, Any]
"""What a reader chose, as plain JSON values."""


def _nothing(choices: Choices) -> Collection[str]:
    return ()


@dataclass(frozen=True)
class ReportKind:
    """A kind of report. `function` is the dotted name of `compute(study, choices) -> dict` of plain JSON values.

    It is a name, because web processes load all kinds and must not load what computes them, such as scipy. It raises
    ChoiceInvalidError if the choices select nothing. `ignored` are the actions of the audit that change no figure under
    these choices. Raise `version` if the figures change although the data have not.

    `is_shown` says whether people see the figures as a report, on pages, by the API or in files; a dry run's then
    have `dry_run`. Other kinds are parts of pages, which carry the mark themselves.
    """

    key: str
    function: str
    ignored: Callable[[Choices], Collection[str]] = _nothing
    version: int = 1
    is_shown: bool = False

    def compute(self, study: Study, choices: Choices) -> dict[str, Any]:
        """Compute the report in this process."""
        figures: dict[str, Any] = import_string(self.function)(study, choices)
        return {"dry_run": True, **figures} if self.is_shown and study.is_dry_run else figures


def report_kinds() -> Mapping[str, ReportKind]:
    """All kinds of reports, by key."""
    return discover("report_kinds", "REPORT")
