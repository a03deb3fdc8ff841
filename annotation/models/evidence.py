"""Judgments of people and machines. Revisions are added; nothing is overwritten or deleted."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy

from annotation.models.items import Item, Output
from annotation.models.people import Rater
from annotation.models.study import Question, Study
from annotation.models.tasks import Task
from config.model_fields import ExactJSONField


class Annotation(models.Model):
    """One revision of a rater's answer to a task, with its circumstances."""

    answer_fields = ("answers",)
    place_fields = ("shown",)
    model_fields = ("metadata",)

    class Status(models.TextChoices):
        SUBMITTED = "submitted", gettext_lazy("Submitted")
        SKIPPED = "skipped", gettext_lazy("Skipped")
        WITHDRAWN = "withdrawn", gettext_lazy("Withdrawn")
        FLAGGED = "flagged", gettext_lazy("Flagged, not answered")

    ANSWERED = (Status.SUBMITTED, Status.SKIPPED)
    """The statuses that mean that a rater is done with a task."""

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="annotations", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="annotations")
    revision = models.PositiveIntegerField()
    is_current = models.BooleanField(default=True)
    status = models.CharField(max_length=10, choices=Status)
    surplus = models.BooleanField(default=False, help_text="submitted after the task had all its raters")
    third_rater = models.BooleanField(
        default=False, db_default=False, help_text="given in a place that was made because the planned raters disagreed"
    )
    answers = ExactJSONField(default=dict, help_text="{question: value} as submitted")
    reason = models.TextField(blank=True, help_text="why it was skipped or withdrawn")
    flag = models.TextField(blank=True)
    shown = ExactJSONField(help_text="positions of the task's outputs in the order shown")
    guidelines_version = models.PositiveIntegerField(null=True, blank=True)
    protocol_version = models.PositiveIntegerField()
    client_key = models.UUIDField(null=True, blank=True, help_text="makes a repeated request harmless")
    payload_digest = models.CharField(max_length=64, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="by the server's clock")
    visible_seconds = models.FloatField(null=True, blank=True, help_text="as the page counted: untrusted")
    active_seconds = models.FloatField(null=True, blank=True, help_text="as the page counted: untrusted")
    tool_use = ExactJSONField(default=dict)
    device = models.CharField(
        max_length=80,
        blank=True,
        default="",
        db_default="",
        help_text="how the page showed it: window, pointer, layout; as the page said: untrusted",
    )
    metadata = ExactJSONField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["rater", "id", "status"], condition=Q(is_current=True), name="annotation_current"),
            models.Index(
                fields=["rater", "id"], condition=Q(is_current=True, status="skipped"), name="annotation_skipped"
            ),
            models.Index(fields=["rater", "task"], condition=Q(is_current=False), name="annotation_earlier"),
            models.Index(fields=["rater", "id"], condition=Q(surplus=True), name="annotation_surplus"),
            models.Index(fields=["submitted_at", "id"], name="annotation_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["task", "rater", "revision"], name="annotation_revision_once"),
            models.UniqueConstraint(
                fields=["task", "rater"], condition=Q(is_current=True), name="annotation_one_current"
            ),
            models.UniqueConstraint(
                fields=["rater", "client_key"], condition=Q(client_key__isnull=False), name="annotation_client_key_once"
            ),
            models.CheckConstraint(condition=Q(revision__gte=1), name="annotation_revision_positive"),
            models.CheckConstraint(
                condition=Q(status__in=["submitted", "skipped", "withdrawn", "flagged"]), name="annotation_status_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} by {self.rater} on task {self.task_id}, revision {self.revision}"


class Rating(models.Model):
    """One rater's answer to one question about one unit, flat, with its own level of measurement.

    The unit is the item alone (a whole task), one output, or a pair of outputs (in the order shown).
    `number` is the value if it is a number; `value` is the value as given. Imported rows have no annotation.
    A machine may answer in another shape than people: see `annotation.machine_shapes`.
    """

    value_fields = ("value",)
    share_fields = ("distribution",)
    order_fields = ("shown",)
    variant_fields = ("variant",)
    model_fields = ("metadata",)

    class AgentsOutcome(models.TextChoices):
        UNANIMOUS = "unanimous", "Unanimous"
        MAJORITY = "majority", "Majority"
        DISAGREEMENT = "disagreement", "Disagreement"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "Nominal"
        ORDINAL = "ordinal", "Ordinal"
        INTERVAL = "interval", "Interval"
        RANK = "rank", "Rank"
        CHOICE = "choice", "Choice"
        SPAN = "span", "Span"
        TEXT = "text", "Text"
        EXTREMES = "extremes", "Best and worst"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="ratings")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="ratings")
    output = models.ForeignKey(Output, on_delete=models.PROTECT, null=True, blank=True, related_name="ratings")
    other_output = models.ForeignKey(
        Output, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    variant = models.CharField(max_length=240, blank=True)
    annotation = models.ForeignKey(
        Annotation, on_delete=models.PROTECT, null=True, blank=True, related_name="ratings", db_index=False
    )
    revision = models.PositiveIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    level = models.CharField(max_length=8, choices=Level)
    number = models.FloatField(null=True, blank=True)
    value = ExactJSONField()
    off_scale = models.BooleanField(default=False, help_text="a machine's number outside the question's scale")
    third_rater = models.BooleanField(default=False, db_default=False, help_text="as its annotation says")
    guidelines_version = models.PositiveIntegerField(null=True, blank=True)
    protocol_version = models.PositiveIntegerField(null=True, blank=True)
    run = models.CharField(max_length=200, blank=True, help_text="the name of the rater's run, see JudgeRun")
    replicate = models.PositiveIntegerField(null=True, blank=True)
    machine_key = models.CharField(
        max_length=32, null=True, blank=True, editable=False,
        help_text="identifies a machine's rating with its ordinal: see annotation.machine_ratings",
    )  # fmt: skip
    ordinal = models.PositiveIntegerField(default=0, help_text="which of several equal imported lines")
    explanation = models.TextField(null=True, blank=True)
    shown = ExactJSONField(null=True, blank=True, help_text="output keys in the order shown")
    seconds = models.FloatField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    distribution = ExactJSONField(null=True, blank=True)
    missing = models.FloatField(null=True, blank=True, help_text="the probability of none of the allowed answers")
    outcome = models.CharField(max_length=12, blank=True, choices=AgentsOutcome, help_text="of several agents")
    prompt_digest = models.CharField(max_length=64, blank=True)
    metadata = ExactJSONField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["study", "question", "rater"], name="rating_by_question"),
            models.Index(fields=["study", "submitted_at", "id"], name="rating_by_time"),
            models.Index(fields=["annotation"], condition=Q(annotation__isnull=False), name="rating_of_annotation"),
            models.Index(fields=["other_output"], condition=Q(other_output__isnull=False), name="rating_of_pair"),
            models.Index(
                fields=["study", "item", "id"], condition=Q(is_current=True, level="span"), name="rating_spans"
            ),
            models.Index(fields=["study", "id"], condition=Q(is_current=True, level="text"), name="rating_comments"),
            models.Index(fields=["study", "id"], condition=Q(third_rater=True), name="rating_of_third_rater"),
            models.Index(fields=["study", "submitted_at", "id"], condition=Q(is_current=False), name="rating_earlier"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotation", "question", "output"],
                condition=Q(annotation__isnull=False, output__isnull=False, other_output__isnull=True),
                name="rating_once_an_output",
            ),
            models.UniqueConstraint(
                fields=["annotation", "question"],
                condition=Q(annotation__isnull=False, output__isnull=True),
                name="rating_once_a_task",
            ),
            models.UniqueConstraint(
                fields=["machine_key", "ordinal"],
                condition=Q(machine_key__isnull=False),
                name="rating_machine_key_once",
            ),
            models.CheckConstraint(
                condition=Q(other_output__isnull=True) | (Q(output__isnull=False) & ~Q(other_output=F("output"))),
                name="rating_pair_of_two",
            ),
            models.CheckConstraint(
                condition=Q(level__in=["nominal", "ordinal", "interval", "rank", "choice", "span", "text", "extremes"]),
                name="rating_level_known",
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["", "unanimous", "majority", "disagreement"]), name="rating_outcome_known"
            ),
            models.CheckConstraint(
                condition=Q(missing__isnull=True) | Q(missing__gte=0, missing__lte=1), name="rating_missing_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} by {self.rater_id} on item {self.item_id}"
