"""What a person downloads of messages. No researcher's name."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from annotation.members.data_download import task_name
from recruiting.models import RaterMessage

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def letters_of(person: Person) -> list[tuple[str, Rows]]:
    """Return the person's lists by their titles."""
    return [("messages", _messages(person))]


def _messages(person: Person) -> Rows:
    found = RaterMessage.objects.filter(thread__rater__person=person).select_related("thread__rater__study")
    for one in found.order_by("pk").iterator(CHUNK):
        yield {
            "study": one.thread.rater.study.slug, "task": task_name(person.pk, one.thread.task_id),
            "from": "you" if one.from_rater else "researchers", "text": one.text, "at": one.at,
            "opened_at": one.seen_at,
        }  # fmt: skip
