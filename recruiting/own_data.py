"""What a person downloads of messages, pauses and e-mail: what they wrote and were told. No researcher's name."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from annotation.models import Adjudication, Rater
from annotation.questions import question_types
from recruiting.models import MailAddress, OutgoingMail, RaterMessage, RaterPause
from recruiting.way_in.task_names import task_name

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def letters_of(person: Person) -> list[tuple[str, Rows]]:
    """Return the person's lists by their titles."""
    return [("messages", _messages(person)), ("pauses", _pauses(person)), ("e_mail", _address(person)),
            ("mails", _mails(person)), ("final_answers", _final_answers(person))]  # fmt: skip


def _messages(person: Person) -> Rows:
    found = RaterMessage.objects.filter(thread__rater__person=person).select_related("thread__rater__study")
    for one in found.order_by("pk").iterator(CHUNK):
        yield {
            "study": one.thread.rater.study.slug, "task": task_name(person.pk, one.thread.task_id),
            "from": "you" if one.from_rater else "researchers", "text": one.text, "at": one.at,
            "opened_at": one.seen_at,
        }  # fmt: skip


def _pauses(person: Person) -> Rows:
    found = RaterPause.objects.filter(rater__person=person).select_related("rater__study").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {"study": one.rater.study.slug, "reason": one.reason, "from": one.at, "to": one.ended_at}


def _address(person: Person) -> Rows:
    for one in MailAddress.objects.filter(person=person):
        yield {
            "address": one.address, "not_confirmed": one.pending, "confirmed_at": one.confirmed_at,
            "reminders": one.wants_reminder, "new_tasks": one.wants_batch, "notes": one.wants_notes,
        }  # fmt: skip


def _mails(person: Person) -> Rows:
    found = OutgoingMail.objects.filter(person=person).select_related("study").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {"kind": one.kind, "study": one.study.slug if one.study else None, "sent_at": one.sent_at}


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


OWN_DATA = letters_of
