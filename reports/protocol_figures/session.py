"""Figures of revision sessions: what users asked the models for, turn by turn, and how it went."""

from typing import Any

from annotation.models import Study
from reports.display.session_tables import SessionSection, session_section
from reports.protocol_figures import ProtocolFigures
from reports.session_report import TEXTS_IN_A_REQUEST, session_report


class SessionFigures(ProtocolFigures):
    key = "session"
    template = "reports/sessions.html"

    def report(self, study: Study, *, labeller: str | None = None, waiting: bool = False) -> dict[str, Any]:
        return session_report(study, labeller=labeller, most_texts=TEXTS_IN_A_REQUEST if waiting else None)

    def section(self, report: dict[str, Any]) -> SessionSection:
        return session_section(report)


PROTOCOL_FIGURES = SessionFigures()
