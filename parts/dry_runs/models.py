"""Dry runs of studies."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study
from config.background.rows import Row


class StudyDryRun(Row):
    """Synthetic raters who fill a copy of a study; the row is also the background work that makes and fills it."""

    source_pk = models.BigIntegerField(help_text="primary key of the study that is copied", db_index=True)
    study = models.OneToOneField(
        Study, on_delete=models.PROTECT, null=True, blank=True, related_name="dry_run",
        help_text="the copy; empty until it is made",
    )  # fmt: skip
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: a command, or somebody who was erased",
    )  # fmt: skip
    raters = models.PositiveSmallIntegerField()
    accuracy = models.FloatField(help_text="how often a rater sees an output as good as it is, from 0 to 1")
    bias = models.FloatField(help_text="how much better the output shown first looks, from -1 to 1")
    seconds = models.FloatField(help_text="active seconds per task")
    seed = models.PositiveIntegerField(default=0)
    items = models.PositiveIntegerField(null=True, blank=True, help_text="copied at most; empty: all")
    answers = models.PositiveIntegerField(default=0, help_text="given so far")

    class Meta(Row.Meta):
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["source_pk"], condition=Q(status__in=["queued", "running"]), name="dry_run_one_waiting"
            ),
            models.CheckConstraint(
                condition=Q(accuracy__gte=0, accuracy__lte=1, bias__gte=-1, bias__lte=1, seconds__gt=0, raters__gte=1),
                name="dry_run_settings_fit",
            ),
        ]

    def __str__(self) -> str:
        return f"dry run {self.pk} of study {self.source_pk}, {self.status}"
