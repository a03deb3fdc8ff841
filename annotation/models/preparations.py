"""Background work that makes the tasks of a study's items."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Study
from config.background.rows import Row


class TaskPreparation(Row):
    """Makes the missing tasks and slots of a study, and then, if `goes_live`, opens it to its annotators.

    With `redundancy`, it first gives the tasks that exist so many places, item by item up to `changed_through`.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="preparations", db_index=False)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="who requested it; empty for commands",
    )  # fmt: skip
    goes_live = models.BooleanField(default=False)
    redundancy = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="how many places each task gets; empty: they stay as they are"
    )
    why = models.TextField(blank=True, help_text="the reason given for another redundancy")
    changed_through = models.BigIntegerField(default=0, help_text="items up to this primary key have the redundancy")
    done = models.PositiveIntegerField(default=0, help_text="items that have their tasks")
    total = models.PositiveIntegerField(default=0, help_text="items that need tasks")

    class Meta(Row.Meta):
        indexes = [*Row.Meta.indexes, models.Index(fields=["study", "id"], name="preparation_of_study")]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study"], condition=Q(status__in=["queued", "running"]), name="preparation_one_waiting"
            ),
        ]

    def __str__(self) -> str:
        return f"preparation of {self.study_id}, {self.status}"
