"""Figures of revision sessions: what users asked the models for, turn by turn, and how it went."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.module_loading import import_string

from annotation.models import Question, Study
from reports.figures.protocol_figures import ProtocolFigures
from reports.pages.display.session_tables import SessionSection, session_section
from sessions.workflow import BAD, NEUTRAL, RATING

OWNED_RATINGS = "reports.figures.rows.turn_rows.owned_ratings"
"""A name, because web processes load this module and must not load scipy, which that one uses."""
OwnedRatings = Mapping[tuple[int, int | None, str], tuple[str, Sequence[str]]]


class SessionFigures(ProtocolFigures):
    key = "session"
    template = "reports/sessions.html"
    report_kind = "session"

    def owned_labels(self, study: Study, question: Question) -> OwnedRatings:
        """The rating of each turn by the session's user, and second ratings."""
        if question.key != RATING:
            return {}
        found: OwnedRatings = import_string(OWNED_RATINGS)(study)
        return found

    def folded_labels(self, question: Question) -> Mapping[str, str]:
        """Judges with two ratings have bad for neutral, as in the source paper."""
        return {NEUTRAL: BAD} if question.key == RATING else {}

    def section(self, report: dict[str, Any]) -> SessionSection:
        return session_section(report)


PROTOCOL_FIGURES = SessionFigures()
