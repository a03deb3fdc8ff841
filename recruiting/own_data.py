"""What a person downloads of messages, and decisions: what they wrote and were told. No researcher's name."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q

from accounts.models import AuditEntry, Person
from annotation.models import Adjudication, Rater, RaterExclusion, RaterPause
from annotation.questions import question_types
from config.parts import parts
from recruiting.models import RaterMessage
from recruiting.way_in.task_names import task_name

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def letters_of(person: Person) -> list[tuple[str, Rows]]:
    """Return the person's lists by their titles."""
    return [
        ("messages", _messages(person)), ("pauses", _pauses(person)), ("exclusions", _exclusions(person)),
        ("final_answers", _final_answers(person)), ("audit", _audit(person)),
    ]  # fmt: skip


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


def _exclusions(person: Person) -> Rows:
    """Why figures can leave the person's answers out, and what they have replied."""
    found = RaterExclusion.objects.filter(rater__person=person).select_related("rater__study")
    for one in found.prefetch_related("replies").order_by("pk").iterator(CHUNK):
        yield {
            "study": one.rater.study.slug, "reason": one.reason, "from": one.at, "to": one.ended_at,
            "reason_of_end": one.ended_reason,
            "your_replies": [{"text": reply.text, "at": reply.at} for reply in one.replies.all()],
        }  # fmt: skip


def _audit(person: Person) -> Rows:
    """What the person did, and what was done to them; without subjects and values, which can name others or checks."""
    hidden = [action for part in parts() for action in part.hidden_actions]
    mine = Q(actor__person=person) | Q(about__person=person)
    found = AuditEntry.objects.filter(mine).exclude(action__in=hidden).select_related("actor")
    for one in found.order_by("pk").iterator(CHUNK):
        by = "site" if one.actor is None else "you" if one.actor.person_id == person.pk else "others"
        yield {"at": one.at, "action": one.action, "study": one.study, "by": by}


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
