"""Counts of large studies and samples of their answers, which workers compute and pages show."""

from django.db import models
from django.db.models import Q

from annotation.models.people import Rater
from annotation.models.study import Study
from annotation.models.tasks import Task
from config.background.rows import Row
from config.model_fields import ExactJSONField


class StudyCounts(Row):
    """What a page shows about one subject of a study; the row is also the background work that counts it.

    For each subject there is at most one row that waits and one that is done; see `annotation.studies.kept_counts`.
    """

    naming_fields = ("figures",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="kept_counts", db_index=False)
    subject = models.CharField(max_length=40, help_text="overview, pace, spans, plan, or batch and its number from 0")
    figures = ExactJSONField(default=dict, help_text="the counts by name")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when counting began")
    seconds = models.FloatField(null=True, blank=True, help_text="how long counting took")

    class Meta(Row.Meta):
        verbose_name_plural = "study counts"
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["study", "subject", "id"], name="study_counts_of_subject"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study", "subject"], condition=Q(status__in=["queued", "running"]),
                name="study_counts_one_waiting",
            ),
            models.UniqueConstraint(
                fields=["study", "subject"], condition=Q(status="done"), name="study_counts_one_done"
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | Q(read_at__isnull=False), name="study_counts_done_has_time"
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"counts of {self.subject} in {self.study_id}, {self.status}"


class DrawnAnswer(models.Model):
    """A rater's answer to a task in the sample of a batch's spot checks, at its `place` (from 0) in the sample.

    The answer is the rater's current one, so a revision stays in the sample.
    """

    counts = models.ForeignKey(StudyCounts, on_delete=models.PROTECT, related_name="drawn", db_index=False)
    place = models.PositiveIntegerField()
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="drawn_answers", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="drawn_answers")
    is_open = models.BooleanField(default=True, help_text="not checked yet")

    class Meta:
        indexes = [
            models.Index(fields=["task", "rater"], name="drawn_answer_of_task"),
            models.Index(fields=["counts", "place"], condition=Q(is_open=True), name="drawn_answer_open"),
        ]
        constraints = [models.UniqueConstraint(fields=["counts", "place"], name="drawn_answer_place_once")]

    def __str__(self) -> str:
        return f"answer {self.place} of sample {self.counts_id}"
