"""What a person downloads of their sessions: what they wrote to models, and their edits. No model's name."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from sessions.models import Turn

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def sessions_of(person: Person) -> list[tuple[str, Rows]]:
    """Return the list `session_turns` with the person's turns, in the order in which they were made."""
    return [("session_turns", _turns(person))]


def _turns(person: Person) -> Rows:
    found = Turn.objects.filter(session__rater__person=person).select_related("session__study").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {
            "study": one.session.study.slug, "session": one.session.key, "turn": one.number, "kind": one.kind,
            "instruction": one.instruction, "edited_answer": one.edited_answer, "at": one.created_at,
        }  # fmt: skip


OWN_DATA = sessions_of
