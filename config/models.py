"""Worker processes, turns of studies, and erasures."""

from django.db import models
from django.db.models import Q

from config.model_fields import ExactJSONField


class Worker(models.Model):
    """A worker process, as it last reported."""

    name = models.CharField(max_length=300, unique=True)
    queues = models.CharField(max_length=100, help_text="which queues it serves, separated by commas")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField(db_index=True)
    reaches_broker = models.BooleanField(default=True)
    clock_skew = models.FloatField(null=True, help_text="seconds by which its host's clock is ahead of the database's")

    def __str__(self) -> str:
        return self.name


class QueueTurn(models.Model):
    """When a study had its last turn in a queue of background work, while others waited there too.

    It does not refer to the study, which may be deleted meanwhile.
    """

    queue = models.CharField(max_length=10)
    study = models.BigIntegerField(help_text="primary key of the study; 0: work of none")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["queue", "study"], name="queue_turn_once")]

    def __str__(self) -> str:
        return f"last turn of study {self.study} in {self.queue}"


class Erasure(models.Model):
    """A deletion of frozen rows: what was erased, when, and how many rows of each table. `config.erasure` writes it.

    While `open` points at no row, the triggers let this transaction delete; such a row cannot be committed.
    """

    at = models.DateTimeField(auto_now_add=True)
    scope = models.CharField(max_length=200, help_text="what was erased, by ids and never by name: study:12")
    counts = ExactJSONField(default=dict, help_text="{table: rows erased}")
    open = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False,
        help_text="0, which is no row, until the erasure is closed",
    )  # fmt: skip

    class Meta:
        # The triggers ask for an open erasure at each row, and a deletion in steps closes hundreds.
        indexes = [models.Index(fields=["open"], condition=Q(open__isnull=False), name="erasure_open")]
        constraints = [
            models.CheckConstraint(condition=Q(open__isnull=True) | Q(open=0), name="erasure_open_points_at_no_row"),
            models.CheckConstraint(condition=Q(id__gte=1), name="erasure_zero_is_no_row"),
        ]

    def __str__(self) -> str:
        return f"erasure of {self.scope}"
