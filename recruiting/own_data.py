"""What a person downloads of messages and final answers. No researcher's name."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from annotation.members.data_download import task_name
from annotation.models import Adjudication, Rater
from annotation.questions import question_types
from recruiting.models import RaterMessage

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def letters_of(person: Person) -> list[tuple[str, Rows]]:
    """Return the person's lists by their titles."""
    return [
        ("messages", _messages(person)), ("final_answers", _final_answers(person)),
    ]  # fmt: skip


def _messages(person: Person) -> Rows:
    found = RaterMessage.objects.filter(thread__rater__person=person).select_related("thread__rater__study")
    for one in found.order_by("pk").iterator(CHUNK):
        yield {
            "study": one.thread.rater.study.slug, "task": task_name(person.pk, one.thread.task_id),
            "from": "you" if one.from_rater else "researchers", "text": one.text, "at": one.at,
            "opened_at": one.seen_at,
        }  # fmt: skip


def _final_answers(person: Person) -> Rows:
    """What the person decided in second stages; a value that names outputs is left out, because keys name systems."""
    for rater in Rater.objects.filter(person=person).select_related("study").order_by("pk"):
        given = Adjudication.objects.filter(item__study=rater.study, by__name=rater.name).select_related("question")
        for one in given.order_by("pk").iterator(CHUNK):
            words = question_types()[one.question.type].in_words(one.value, one.question.spec)
            yield {
                "study": rater.study.slug, "question": one.question.text or one.question.key, "answer": words or None,
                "reason": one.reason, "at": one.at,
            }  # fmt: skip
