"""Researchers' reviews of annotators' work: released batches, spot checks, verdicts on spans, final answers.

Reviews never change the judgments. A changed verdict is a new row with the next number.
"""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.evidence import Annotation, Rating
from annotation.models.items import Item, Output
from annotation.models.people import Rater
from annotation.models.study import Question, Study
from annotation.models.tasks import Task
from config.model_fields import ExactJSONField


class Batch(models.Model):
    """A released batch of a study's items; batches are numbered 0, 1, ..."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="batches", db_index=False)
    number = models.PositiveIntegerField()
    released_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    released_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        verbose_name_plural = "batches"
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="batch_once")]

    def __str__(self) -> str:
        return f"batch {self.number + 1} of {self.study}"


class Reviewer(models.Model):
    """The name of a researcher in exported reviews: random and drawn once, or imported."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="reviewers")
    name = models.CharField(max_length=200)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="reviewers"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="reviewer_name_once"),
            models.UniqueConstraint(
                fields=["study", "person"], condition=Q(person__isnull=False), name="reviewer_person_once"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="reviewer_name_given"),
        ]

    def __str__(self) -> str:
        return self.name


class SpanReview(models.Model):
    """A verdict on one marked span: the one at `index` in the rating's value. The highest number counts."""

    class Verdict(models.TextChoices):
        CONFIRMED = "confirmed", "Confirmed"
        REJECTED = "rejected", "Rejected"
        WITHDRAWN = "withdrawn", "Withdrawn"

    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="span_reviews", db_index=False)
    index = models.PositiveIntegerField(help_text="which of the rating's spans, from 0")
    number = models.PositiveIntegerField(help_text="1, 2, ... for the reviews of one span")
    is_current = models.BooleanField(default=True)
    verdict = models.CharField(max_length=9, choices=Verdict)
    reason = models.TextField(blank=True)
    by = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="span_reviews")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["rating", "index", "number"], name="span_review_number_once"),
            models.UniqueConstraint(
                fields=["rating", "index"], condition=Q(is_current=True), name="span_review_one_current"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="span_review_number_positive"),
            models.CheckConstraint(
                condition=Q(verdict__in=["confirmed", "rejected", "withdrawn"]), name="span_review_verdict_known"
            ),
            models.CheckConstraint(condition=Q(verdict="withdrawn") | ~Q(reason=""), name="span_review_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: span {self.index} of rating {self.rating_id}"


class SpotCheck(models.Model):
    """A researcher's check of an annotation, with a note to the annotator. The highest number counts."""

    class Verdict(models.TextChoices):
        OK = "ok", "OK"
        PROBLEM = "problem", "Problem"

    annotation = models.ForeignKey(Annotation, on_delete=models.PROTECT, related_name="spot_checks", db_index=False)
    number = models.PositiveIntegerField(help_text="1, 2, ... for the checks of one annotation")
    is_current = models.BooleanField(default=True)
    verdict = models.CharField(max_length=7, choices=Verdict)
    note = models.TextField(blank=True, help_text="what the annotator reads")
    by = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="spot_checks")
    at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True, help_text="when the annotator said that they read the note")

    class Meta:
        indexes = [
            models.Index(fields=["annotation"], condition=Q(seen_at=None) & ~Q(note=""), name="spot_check_unread"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["annotation", "number"], name="spot_check_number_once"),
            models.UniqueConstraint(fields=["annotation"], condition=Q(is_current=True), name="spot_check_one_current"),
            models.CheckConstraint(condition=Q(number__gte=1), name="spot_check_number_positive"),
            models.CheckConstraint(condition=Q(verdict__in=["ok", "problem"]), name="spot_check_verdict_known"),
            models.CheckConstraint(condition=Q(verdict="ok") | ~Q(note=""), name="spot_check_problem_said"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict}: annotation {self.annotation_id}"


class Adjudication(models.Model):
    """A researcher's final answer to a question about a unit, beside the raters' answers. The highest number counts.

    The unit is that of a rating: the item alone (a whole task), one output, or a pair of outputs; `unit` names it
    within the item. Without a value the answers before it are withdrawn.
    """

    value_fields = ("value",)
    variant_fields = ("variant",)

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="adjudications", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="adjudications")
    output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="adjudications", db_index=False
    )
    other_output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    variant = models.CharField(max_length=240, blank=True)
    unit = models.CharField(max_length=64, help_text="digest of the outputs' keys and the variant")
    number = models.PositiveIntegerField(help_text="1, 2, ... for the answers to one question about one unit")
    is_current = models.BooleanField(default=True)
    value = ExactJSONField(null=True, blank=True)
    reason = models.TextField()
    by = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="adjudications")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "item", "unit", "number"], name="adjudication_number_once"),
            models.UniqueConstraint(
                fields=["question", "item", "unit"], condition=Q(is_current=True), name="adjudication_one_current"
            ),
            models.CheckConstraint(
                condition=Q(other_output__isnull=True) | (Q(output__isnull=False) & ~Q(other_output=F("output"))),
                name="adjudication_pair_of_two",
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="adjudication_number_positive"),
            models.CheckConstraint(condition=~Q(reason=""), name="adjudication_reason_given"),
        ]

    def __str__(self) -> str:
        return f"final answer {self.number} to question {self.question_id} on item {self.item_id}"


class FlagAnswer(models.Model):
    """A researcher's answer to an annotator's flag on a task, with a note to the annotator. The highest number counts.

    It answers the flag as it was worded then: a flag with other words is open again.
    """

    class Outcome(models.TextChoices):
        RESOLVED = "resolved", "Resolved"
        DISMISSED = "dismissed", "Dismissed"

    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="flag_answers", db_index=False)
    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="flag_answers")
    number = models.PositiveIntegerField(help_text="1, 2, ... for the answers to one rater's flags on one task")
    is_current = models.BooleanField(default=True)
    flag = models.TextField(help_text="the annotator's words that it answers")
    outcome = models.CharField(max_length=9, choices=Outcome)
    note = models.TextField(help_text="what the annotator reads")
    by = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="flag_answers")
    at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True, help_text="when the annotator said that they read the note")

    class Meta:
        indexes = [
            models.Index(fields=["rater"], condition=Q(seen_at=None), name="flag_answer_unread"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["rater", "task", "number"], name="flag_answer_number_once"),
            models.UniqueConstraint(
                fields=["rater", "task"], condition=Q(is_current=True), name="flag_answer_one_current"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="flag_answer_number_positive"),
            models.CheckConstraint(
                condition=Q(outcome__in=["resolved", "dismissed"]), name="flag_answer_outcome_known"
            ),
            models.CheckConstraint(condition=~Q(note="") & ~Q(flag=""), name="flag_answer_note_given"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome}: flag of rater {self.rater_id} on task {self.task_id}"


class ReadComments(models.Model):
    """How far a study's researchers have read its annotators' comments: up to and including the rating `through`."""

    study = models.OneToOneField(Study, on_delete=models.PROTECT, related_name="read_comments")
    through = models.BigIntegerField(default=0, help_text="primary key of a rating")
    by = models.ForeignKey(Reviewer, on_delete=models.PROTECT, related_name="+", help_text="who read last")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "read comments"

    def __str__(self) -> str:
        return f"comments of {self.study_id} read through {self.through}"
