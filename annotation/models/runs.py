"""Runs of judges and metrics: which rater, in which configuration, judged a study's units, and what came of it."""

from django.db import models
from django.db.models import F, Q

from annotation.models.people import Rater
from config.model_fields import ExactJSONField


class JudgeRun(models.Model):
    """One run of a machine rater. The ratings that it wrote have its rater and, as `run`, its name.

    The configuration never changes, and the results of a finished run do not change either. A run that a researcher
    has replaced by another one is kept; reports leave its ratings out.
    """

    naming_fields = ("configuration",)

    class Status(models.TextChoices):
        PLANNED = "planned", "Planned"
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        STOPPED = "stopped", "Stopped"
        OUT_OF_BUDGET = "out_of_budget", "Out of budget"

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="runs", db_index=False)
    name = models.CharField(max_length=200, help_text="its id in files, unique for its rater")
    configuration = ExactJSONField(help_text="everything that decides what is asked, and about which units")
    status = models.CharField(max_length=13, choices=Status, default=Status.PLANNED)
    counts = ExactJSONField(null=True, blank=True, help_text="{outcome: number of judgments}")
    tokens_in = models.BigIntegerField(null=True, blank=True)
    tokens_out = models.BigIntegerField(null=True, blank=True)
    price = models.BigIntegerField(
        null=True, blank=True, help_text="in millionths of the currency of the endpoints' prices"
    )
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    replaced_by = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaced_runs"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rater", "name"], name="judge_run_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="judge_run_name_given"),
            models.CheckConstraint(
                condition=Q(status__in=["planned", "running", "finished", "stopped", "out_of_budget"]),
                name="judge_run_status_known",
            ),
            models.CheckConstraint(
                condition=Q(replaced_by__isnull=True) | ~Q(replaced_by=F("id")), name="judge_run_replaced_by_another"
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.name} of {self.rater}"
