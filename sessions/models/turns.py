"""Sessions of one person with one model about one question, and their turns."""

import secrets

from django.db import models
from django.db.models import Q

from annotation.models import Annotation, Item, Rater, Study, Task
from config.background.rows import Row
from config.model_fields import ExactJSONField


def new_key() -> str:
    """Return a random name for a session; files show it, and it reveals nothing."""
    return f"session-{secrets.token_hex(8)}"


class RevisionSession(models.Model):
    """One person's session with one model about an item's question. The person never sees the model's name.

    The task belongs to the item and the model. Turns are numbered 0 (the first answer), 1, 2, ...
    """

    system_fields = ("model",)

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        SATISFIED = "satisfied", "Ready to send"
        MAX_TURNS = "max_turns", "Ended after the last turn"
        ABANDONED = "abandoned", "Abandoned"

    key = models.CharField(max_length=200, default=new_key, help_text="its id in files, unique in the study")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="sessions", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="sessions")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="sessions")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="sessions", db_index=False)
    model = models.CharField(max_length=200, help_text="endpoint/model; hidden from annotators")
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    imported = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["study", "status"], name="session_by_status")]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="session_key_once"),
            models.UniqueConstraint(
                fields=["rater", "item"], condition=Q(imported=False), name="session_question_once_a_rater"
            ),
            models.CheckConstraint(condition=~Q(key=""), name="session_key_given"),
            models.CheckConstraint(
                condition=Q(status__in=["active", "satisfied", "max_turns", "abandoned"]), name="session_status_known"
            ),
            models.CheckConstraint(
                condition=~Q(status="active") | Q(ended_at__isnull=True), name="session_active_not_ended"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_active(self) -> bool:
        return self.status == self.Status.ACTIVE


class Turn(Row):
    """An instruction and the model's answer to it. Number 0 is the first answer, which has no instruction.

    The row is also the background work that writes the answer, and is done when the answer is complete. A failed turn
    keeps its number until it is retried or discarded; after that, the next instruction gets the number.
    """

    class Kind(models.TextChoices):
        FIRST = "first", "First answer"
        INFORMATION = "information", "New facts"
        STYLE = "style", "Style only"

    session = models.ForeignKey(RevisionSession, on_delete=models.PROTECT, related_name="turns", db_index=False)
    number = models.PositiveSmallIntegerField()
    instruction = models.TextField(blank=True)
    kind = models.CharField(max_length=11, choices=Kind)
    client_key = models.UUIDField(null=True, blank=True, help_text="makes a repeated request harmless")
    previous_answer = models.TextField(blank=True, help_text="the current answer when the instruction was given")
    passages = ExactJSONField(null=True, blank=True, help_text="[{document, paragraph, rank, score, text}]")
    searcher = models.CharField(max_length=200, blank=True)
    index = models.CharField(max_length=200, blank=True, help_text="the index build that was searched")
    summary = models.TextField(null=True, blank=True)
    partial = models.TextField(blank=True, help_text="the answer so far")
    answer = models.TextField(null=True, blank=True)
    edited_answer = models.TextField(null=True, blank=True)
    edits = models.PositiveIntegerField(default=0, help_text="how often the answer was edited")
    task = models.ForeignKey(
        Task,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="turns",
        help_text="the task for rating this turn",
    )
    annotation = models.ForeignKey(
        Annotation, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="the session user's own rating",
    )  # fmt: skip
    discarded = models.BooleanField(default=False)

    class Meta(Row.Meta):
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["session", "number"], condition=Q(discarded=False), name="turn_number_once"
            ),
            models.UniqueConstraint(
                fields=["session", "client_key"], condition=Q(client_key__isnull=False), name="turn_client_key_once"
            ),
            models.CheckConstraint(
                condition=Q(number=0, kind="first") | Q(number__gte=1, kind__in=["information", "style"]),
                name="turn_kind_fits_number",
            ),
            models.CheckConstraint(condition=~Q(status="done") | Q(answer__isnull=False), name="turn_done_has_answer"),
            models.CheckConstraint(
                condition=Q(discarded=False) | Q(status__in=["failed", "stopped"]), name="turn_discarded_failed"
            ),
            models.CheckConstraint(
                condition=Q(edited_answer__isnull=True) | Q(number__gte=1, answer__isnull=False),
                name="turn_edit_of_an_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.number} of session {self.session_id}"
