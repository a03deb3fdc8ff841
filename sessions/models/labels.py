"""Labels that researchers, and later models, give to turns in addition to ratings."""

from django.db import models
from django.db.models import Q

from annotation.models import Rater
from sessions.models.turns import Turn


class TurnLabel(models.Model):
    """One revision of a rater's label of a turn. Revisions are added; nothing is overwritten or deleted."""

    class Kind(models.TextChoices):
        INSTRUCTION_TYPE = "instruction_type", "Instruction type"
        ERROR_CATEGORY = "error_category", "Error category"
        RETRIEVAL = "retrieval", "Usefulness of the passages"

    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="labels", db_index=False)
    kind = models.CharField(max_length=16, choices=Kind)
    value = models.CharField(max_length=100)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="turn_labels")
    revision = models.PositiveIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "kind", "rater", "revision"], name="turn_label_revision_once"),
            models.UniqueConstraint(
                fields=["turn", "kind", "rater"], condition=Q(is_current=True), name="turn_label_one_current"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="turn_label_revision_positive"),
            models.CheckConstraint(
                condition=Q(kind__in=["instruction_type", "error_category", "retrieval"]), name="turn_label_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.turn}: {self.value}"
