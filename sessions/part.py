"""What sessions add: their tables in exports, their erasing, and what a person downloads of their turns."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from config.part import Part
from files.writing.table_list import StudyTable, computed_by
from sessions.erasing import ERASING
from sessions.files.session_columns import LABEL_SAMPLES, LABELS, SESSIONS
from sessions.files.session_counts import has_label_samples, has_labels, has_sessions, session_counts
from sessions.models import Turn

CHUNK = 500


class SessionsPart(Part):
    annotators_pages = tuple(
        f"revision_sessions:{name}" for name in ("welcome", "session", "writing", "preview", "step")
    )
    erasing = ERASING
    tables = (
        StudyTable(
            "sessions", "revision sessions with their turns, one session per line", SESSIONS,
            computed_by("sessions.files.session_export.session_lines"), has_sessions,
            naming=frozenset({"model"}), counts=session_counts, place=2,
        ),
        StudyTable(
            "labels", "labels of turns by people and models, with all revisions", LABELS,
            computed_by("sessions.files.session_export.label_lines"), has_labels, place=2,
        ),
        StudyTable(
            "label_samples", "samples of turns that several people label, in the order of their queues", LABEL_SAMPLES,
            computed_by("sessions.files.session_export.label_sample_lines"), has_label_samples, place=2,
        ),
    )  # fmt: skip

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        """Return the person's turns, in the order in which they were made: what they wrote and edited.

        No model's name is in them.
        """
        return [("session_turns", _turns(person))]


def _turns(person: Person) -> Iterator[dict[str, Any]]:
    turns = Turn.objects.filter(session__rater__person=person).select_related("session__study").order_by("pk")
    for turn in turns.iterator(CHUNK):
        yield {
            "study": turn.session.study.slug,
            "session": turn.session.key,
            "turn": turn.number,
            "kind": turn.kind,
            "instruction": turn.instruction,
            "edited_answer": turn.edited_answer,
            "at": turn.created_at,
        }


PART = SessionsPart()
