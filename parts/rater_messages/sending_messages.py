"""Write messages: a rater to the researchers, a researcher to a rater; mark them as read, and a thread as done."""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Study, Task
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from parts.rater_messages.models import MessageThread, RaterMessage

LONGEST = 4000
"""Characters of a message."""
HOUR = timedelta(hours=1)
MOST_OF_RATER, MOST_OF_STUDY = 20, 300
"""Messages per hour: of one rater, and of a study's researchers together."""


class TooManyMessagesError(Exception):
    """The limit per hour is reached; the message says what to do."""

    def __init__(self, most: int) -> None:
        said = gettext("No more than %(most)s messages can be sent per hour. Your text is still here: send it later.")
        super().__init__(said % {"most": most})


def write_to_researchers(rater: Rater, task: Task | None, text: str) -> RaterMessage:
    """Add a rater's message. Raises TooManyMessagesError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = _locked(rater)
        sent = RaterMessage.objects.filter(thread__rater=rater, from_rater=True, at__gt=database_now() - HOUR)
        if sent.count() >= MOST_OF_RATER:
            raise TooManyMessagesError(MOST_OF_RATER)
        thread = _thread(rater, task)
        made = RaterMessage.objects.create(thread=thread, from_rater=True, text=text)
        MessageThread.objects.filter(pk=thread.pk, waiting_since=None).update(waiting_since=made.at)
        record("message to researchers", f"message {made.pk}", actor=rater.person, study=study.slug)
    return made


def write_to_rater(rater: Rater, task: Task | None, text: str, person: Person) -> RaterMessage:
    """Add a researcher's message, which answers what the rater wrote. Raises as `write_to_researchers` does."""
    with transaction.atomic():
        study, rater = _locked(rater)
        sent = RaterMessage.objects.filter(
            thread__rater__study=study, from_rater=False, at__gt=database_now() - HOUR
        )  # the lock on the study keeps the count true
        if sent.count() >= MOST_OF_STUDY:
            raise TooManyMessagesError(MOST_OF_STUDY)
        thread = _thread(rater, task)
        made = RaterMessage.objects.create(thread=thread, from_rater=False, by=person, text=text)
        MessageThread.objects.filter(pk=thread.pk).update(waiting_since=None)
        record("message to rater", f"message {made.pk}", actor=person, about=rater.person, study=study.slug)
    return made


def mark_done(thread: MessageThread, person: Person) -> bool:
    """Say that a thread needs no reply; return whether it waited for one."""
    with transaction.atomic():
        study, rater = _locked(thread.rater)
        done = MessageThread.objects.filter(pk=thread.pk, waiting_since__isnull=False).update(waiting_since=None)
        if done:
            record("messages done", f"thread {thread.pk}", actor=person, about=rater.person, study=study.slug)
    return bool(done)


def mark_seen(thread: MessageThread | None, *, by_rater: bool) -> int:
    """Note when this side first opened what the other wrote; return how many messages were new."""
    if thread is None:
        return 0
    new = RaterMessage.objects.filter(thread=thread, from_rater=not by_rater, seen_at=None)
    return new.update(seen_at=database_now()) if new.exists() else 0


def thread_of(rater: Rater, task: Task | None) -> MessageThread | None:
    """The thread, or None before its first message."""
    return MessageThread.objects.filter(rater=rater, task=task).first()


def _thread(rater: Rater, task: Task | None) -> MessageThread:
    """The thread, made at first need: the lock on the rater keeps it single."""
    return thread_of(rater, task) or MessageThread.objects.create(rater=rater, task=task)


def _locked(rater: Rater) -> tuple[Study, Rater]:
    return lock_study(rater.study_id), lock_rater(rater.pk, "person")
