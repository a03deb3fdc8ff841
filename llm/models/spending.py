"""Budgets, reservations for future calls, and stops."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study


class Budget(models.Model):
    """What a study, one of its runs, or one person in it has spent and reserved, with or without a cap.

    The row exists from the first call on, so a cap that is set later includes earlier calls. All amounts are whole
    millionths of the currency of the endpoints' prices.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="budgets", db_index=False)
    run = models.CharField(max_length=200, blank=True, help_text="empty: all runs")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="budgets",
        help_text="empty: everybody",
    )  # fmt: skip
    cap = models.BigIntegerField(null=True, blank=True, help_text="the maximum that may be spent; empty: no limit")
    reserved = models.BigIntegerField(default=0, help_text="for running calls")
    spent = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study"], condition=Q(run="", person__isnull=True), name="budget_once_a_study"
            ),
            models.UniqueConstraint(fields=["study", "run"], condition=~Q(run=""), name="budget_once_a_run"),
            models.UniqueConstraint(
                fields=["study", "person"], condition=Q(person__isnull=False), name="budget_once_a_person"
            ),
            models.CheckConstraint(condition=Q(run="") | Q(person__isnull=True), name="budget_of_run_or_person"),
            models.CheckConstraint(condition=Q(reserved__gte=0, spent__gte=0), name="budget_sums_positive"),
            models.CheckConstraint(condition=Q(cap__isnull=True) | Q(cap__gte=0), name="budget_cap_positive"),
        ]

    def __str__(self) -> str:
        return f"budget of {self.study_id}, {self.run or self.person_id or 'all'}"


class Reservation(models.Model):
    """An amount reserved for many calls. Each call draws from it; the rest is released at the end."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="reservations")
    run = models.CharField(max_length=200, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="reservations"
    )
    amount = models.BigIntegerField()
    left = models.BigIntegerField(help_text="neither drawn by a call nor released")
    created_at = models.DateTimeField(auto_now_add=True)
    lease_until = models.DateTimeField(help_text="released afterwards")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(closed_at__isnull=True), name="reservation_open"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(left__gte=0) & (Q(closed_at__isnull=True) | Q(left=0)), name="reservation_left_fits"
            ),
        ]

    def __str__(self) -> str:
        return f"reservation {self.pk} of {self.study_id}"


class Stop(models.Model):
    """Until it is lifted, no call of the study or run starts, and running calls end."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="stops", db_index=False)
    run = models.CharField(max_length=200, blank=True, help_text="empty: all calls of the study")
    stopped_at = models.DateTimeField(auto_now_add=True)
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="stops",
        help_text="empty: a command",
    )  # fmt: skip
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["study", "run"], condition=Q(lifted_at__isnull=True), name="stop_once_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"stop of {self.study_id} {self.run}".strip()
