"""The row that every piece of background work has. The rows are the queue.

*Queued*: waits for a worker, not before `due_at`. *Running*: the worker that holds `token` works on it until
`lease_until`. *Done*, *failed* and *stopped*: finished; `reason` says why there is no result. A message broker only
wakes workers. If it loses a message, the row still waits in the queue.
"""

from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL

from config.database_clock import database_now
from config.request_ids import LENGTH, current_request_id


class Status(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


WAITING = (Status.QUEUED, Status.RUNNING)
IS_WAITING = RawSQL("status IN ('queued', 'running')", [], models.BooleanField())
"""The condition of the index of waiting rows. SQLite uses that index only if a query has it without parameters."""


class Row(models.Model):
    """A piece of background work. A subclass adds fields for its input and its result."""

    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0, help_text="how often it was started")
    token = models.UUIDField(null=True, blank=True, editable=False, help_text="the claim: only its holder may write")
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(default=database_now, help_text="not started before this time")
    woken_at = models.DateTimeField(null=True, blank=True, help_text="when workers were last notified")
    stop_asked = models.BooleanField(default=False)
    reason = models.TextField(blank=True, help_text="why there is no result, or why it waits")
    request_id = models.CharField(
        max_length=LENGTH, blank=True, default=current_request_id, db_default="", editable=False,
        help_text="the request that queued it; empty for commands",
    )  # fmt: skip
    created_at = models.DateTimeField(default=database_now)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        indexes = [
            models.Index(
                fields=["due_at", "id"], condition=Q(status__in=["queued", "running"]), name="%(class)s_waiting"
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="running", token__isnull=False, lease_until__isnull=False)
                | Q(status="queued", token__isnull=True, lease_until__isnull=True, ended_at__isnull=True)
                | Q(status__in=["done", "failed", "stopped"], token__isnull=True, ended_at__isnull=False),
                name="%(class)s_status_fits_lease",
            ),
        ]

    @property
    def is_waiting(self) -> bool:
        """Whether a result may still come."""
        return self.status in WAITING
