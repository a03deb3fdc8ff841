"""What sessions add: their erasing, and what a person downloads of their turns."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from config.part import Part
from sessions.erasing import ERASING
from sessions.models import Turn

CHUNK = 500


class SessionsPart(Part):
    annotators_pages = tuple(
        f"revision_sessions:{name}" for name in ("welcome", "session", "writing", "preview", "step")
    )
    erasing = ERASING

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
