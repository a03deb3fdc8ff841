"""The table of the second stage: which annotator has which item."""

from django.db import models
from django.db.models import Q

from annotation.models import Item, Rater
from config.database_clock import database_now


class SecondStageCase(models.Model):
    """An item whose final answers one rater gives. An item has at most one row, so it is decided once.

    Until `done_at` others may take the item over once the lease is over.
    """

    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="second_stage_case")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="second_stage_cases")
    taken_at = models.DateTimeField(default=database_now)
    lease_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rater"], condition=Q(done_at__isnull=True), name="second_stage_one_open_case"
            ),
            models.CheckConstraint(
                condition=Q(done_at__isnull=True, lease_until__isnull=False)
                | Q(done_at__isnull=False, lease_until__isnull=True),
                name="second_stage_lease_fits",
            ),
        ]

    def __str__(self) -> str:
        return f"second stage of {self.item}"
