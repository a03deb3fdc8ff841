"""Who is given which tasks: lanes of slots, in which each rater looks in an order of their own, and limits on them."""

from django.db import models
from django.db.models import Q

from annotation.models.people import Rater
from annotation.models.study import Study
from config.model_fields import ExactJSONField


class RoutedRater(models.Model):
    """The lanes in which a rater gets tasks, in their order, and the one that they have come to.

    `Rater.place` is the place in that lane. After another batch is released, they begin again with their first lane.
    """

    rater = models.OneToOneField(Rater, on_delete=models.PROTECT, related_name="routed")
    lanes = ExactJSONField(help_text="numbers of lanes, in the order in which this rater gets tasks")
    at = models.PositiveSmallIntegerField(default=0, help_text="which of the lanes, from 0")
    reach = models.BigIntegerField(null=True, blank=True, help_text="the greatest place up to which they have looked")

    def __str__(self) -> str:
        return f"lanes of {self.rater}"


class RoutingQuota(models.Model):
    """How many slots some raters may take in some lanes, and how many they have taken, which a trigger counts.

    It is of a `rater` alone, or of a group. The row with the empty key stands for the whole study: claims lock it, so
    that one after the other reads what is left.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="routing_quotas", db_index=False)
    rater = models.ForeignKey(
        Rater, on_delete=models.PROTECT, null=True, blank=True, related_name="own_quotas", db_index=False
    )
    key = models.CharField(max_length=320, blank=True)
    most = models.PositiveIntegerField()
    taken = models.PositiveIntegerField(default=0)
    first_lane = models.PositiveSmallIntegerField()
    last_lane = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "key"], condition=Q(rater__isnull=True), name="routing_quota_once"
            ),
            models.UniqueConstraint(
                fields=["rater", "key"], condition=Q(rater__isnull=False), name="routing_quota_of_rater_once"
            ),
        ]

    def __str__(self) -> str:
        return f"quota {self.key} of {self.study}"


class QuotaMember(models.Model):
    """A rater whose slots count for a quota."""

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="quota_members", db_index=False)
    quota = models.ForeignKey(RoutingQuota, on_delete=models.PROTECT, related_name="members")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rater", "quota"], name="quota_member_once")]

    def __str__(self) -> str:
        return f"{self.rater} in {self.quota}"
