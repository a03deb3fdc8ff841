"""The tables of messages between raters and researchers."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Rater, Task
from config.database_clock import database_now


class MessageThread(models.Model):
    """What a rater and the researchers write to each other about one task, or without `task` about the study."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="message_threads", db_index=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, null=True, blank=True, related_name="message_threads")
    waiting_since = models.DateTimeField(
        null=True, blank=True, help_text="the rater's first message to which no researcher has replied"
    )

    class Meta:
        indexes = [
            models.Index(fields=["rater"], condition=Q(waiting_since__isnull=False), name="message_thread_waiting"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["rater", "task"], name="message_thread_once_a_task"),
            models.UniqueConstraint(
                fields=["rater"], condition=Q(task__isnull=True), name="message_thread_once_a_study"
            ),
        ]

    def __str__(self) -> str:
        return f"messages with rater {self.rater_id}" + (f" about task {self.task_id}" if self.task_id else "")


class RaterMessage(models.Model):
    """A message of a rater, or of a researcher (`by`), whose name no rater sees."""

    thread = models.ForeignKey(MessageThread, on_delete=models.PROTECT, related_name="messages")
    from_rater = models.BooleanField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="the researcher; empty: the rater, or somebody who was erased",
    )  # fmt: skip
    text = models.TextField()
    at = models.DateTimeField(default=database_now)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="when the other side first opened it")

    class Meta:
        indexes = [
            models.Index(fields=["thread", "from_rater"], condition=Q(seen_at=None), name="rater_message_unread"),
        ]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="rater_message_given"),
            models.CheckConstraint(condition=Q(from_rater=False) | Q(by__isnull=True), name="rater_message_one_author"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk} in {self.thread}"
