"""What every piece of background work has: a row that says how far it is, which is the queue itself.

*Queued*: to be done, not before `due_at`. *Running*: whoever holds `token` does it, until `lease_until`.
*Done*, *failed*, *stopped*: over, with `reason` where there is no result. A message broker only wakes workers;
whatever is lost there, the row still says what is to be done.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Status(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


WAITING = (Status.QUEUED, Status.RUNNING)


class Row(models.Model):
    """A piece of background work; what it is about and its result are the subclass's fields."""

    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0, help_text="how often it was begun")
    token = models.UUIDField(null=True, blank=True, editable=False, help_text="who holds it: only they may write")
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(default=timezone.now, help_text="not before")
    woken_at = models.DateTimeField(null=True, blank=True, help_text="when workers were last told of it")
    stop_asked = models.BooleanField(default=False)
    reason = models.TextField(blank=True, help_text="why there is no result, or why it waits")
    created_at = models.DateTimeField(default=timezone.now)
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
