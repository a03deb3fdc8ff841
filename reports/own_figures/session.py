"""Sessions: what was asked of the models turn by turn, and what became of it."""

from typing import Any

from annotation.models import Study
from reports.own_figures import OwnFigures
from reports.session_presenting import SessionsShown, shown_sessions
from reports.session_report import TEXTS_IN_A_REQUEST, session_report


class SessionFigures(OwnFigures):
    key = "session"
    template = "reports/sessions.html"

    def report(self, study: Study, *, waiting: bool = False) -> dict[str, Any]:
        return session_report(study, most_texts=TEXTS_IN_A_REQUEST if waiting else None)

    def shown(self, report: dict[str, Any]) -> SessionsShown:
        return shown_sessions(report)


OWN_FIGURES = SessionFigures()
