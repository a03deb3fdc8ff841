"""What a thread shows: messages, and the notes of spot checks of that task, which stay where they are kept."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Rater, SpotCheck, Task
from recruiting.rater_messages.message_tables import MessageThread, RaterMessage

MOST_SHOWN = 500
"""Messages of a thread that a page shows: the newest."""


@dataclass(frozen=True)
class ThreadEntry:
    """A message, or a note on an answer (`verdict` and `note`, the key of its spot check)."""

    text: str
    at: datetime
    from_rater: bool
    seen_at: datetime | None
    verdict: str = ""
    note: int | None = None

    @property
    def is_unread_note(self) -> bool:
        return self.note is not None and self.seen_at is None


def entries_of(rater: Rater, task: Task | None, thread: MessageThread | None) -> list[ThreadEntry]:
    """All that was written in a thread, oldest first; in two queries."""
    written = RaterMessage.objects.filter(thread=thread).order_by("-pk")[:MOST_SHOWN] if thread else ()
    found = [ThreadEntry(one.text, one.at, one.from_rater, one.seen_at) for one in written]
    if task is not None:
        notes = SpotCheck.objects.filter(annotation__task=task, annotation__rater=rater).exclude(note="")
        found += [ThreadEntry(one.note, one.at, False, one.seen_at, one.verdict, one.pk) for one in notes]
    return sorted(found, key=lambda entry: entry.at)
