"""A row of each table of messages, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import Assignment, RaterPause
from parts.rater_messages.models import MessageThread, RaterMessage


def add_message_rows(study, rater, person):
    """A thread about the rater's first task with a message of each side, and a pause that has ended."""
    now = timezone.now()
    given = Assignment.objects.filter(rater=rater).order_by("pk").first()
    thread = MessageThread.objects.create(rater=rater, task=given.task if given else None, waiting_since=now)
    message = RaterMessage.objects.create(thread=thread, from_rater=True, text="CANARY-QUESTION", seen_at=now)
    RaterMessage.objects.create(thread=thread, from_rater=False, by=person, text="CANARY-REPLY-TO-IT", seen_at=now)
    pause = RaterPause.objects.create(rater=rater, reason="CANARY-PAUSE", by=person, ended_at=now, ended_by=person)
    return {"messagethread": thread, "ratermessage": message, "raterpause": pause}
