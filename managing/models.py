"""Files that researchers upload into their studies, and what workers count about each item."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models import Item, Question, Study
from config.background.rows import Row
from config.model_fields import ExactJSONField


class ItemUpload(models.Model):
    """A file of items or answers, sent in parts to `place`. A study has at most one whose file still exists.

    Several files in another format are one upload, one after the other in its file.
    """

    class Table(models.TextChoices):
        ITEMS = "items", "Items"
        RATINGS = "ratings", "Ratings"
        SCORES = "scores", "Scores of models and metrics"
        ADJUDICATIONS = "adjudications", "Final answers"
        STUDY = "study", "Questions, items and answers of another tool"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="item_uploads", db_index=False)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="who uploads it; empty if that person was erased",
    )  # fmt: skip
    table = models.CharField(max_length=13, choices=Table)
    name = models.CharField(max_length=200, help_text="of the file on the person's computer")
    files = ExactJSONField(
        default=list, blank=True, help_text="name and bytes of each file, in their order, if there are several"
    )
    choices = ExactJSONField(
        default=dict, blank=True, help_text="what a person has decided where files in another format are ambiguous"
    )
    size = models.BigIntegerField(help_text="bytes, as announced before the first part")
    received = models.BigIntegerField(default=0, help_text="bytes")
    checksum = models.BigIntegerField(default=0, help_text="CRC-32 of the bytes that have arrived")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="names the file on this site")
    has_file = models.BooleanField(default=True, help_text="whether the file has not been deleted")
    begun_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(help_text="when the last part came, or the last step was requested")

    class Meta:
        indexes = [
            models.Index(fields=["study", "id"], name="item_upload_of_study"),
            models.Index(fields=["changed_at"], condition=Q(has_file=True), name="item_upload_with_file"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["study"], condition=Q(has_file=True), name="item_upload_one_file"),
            models.CheckConstraint(
                condition=Q(table__in=["items", "ratings", "scores", "adjudications", "study"]),
                name="item_upload_table_known",
            ),
            models.CheckConstraint(
                condition=Q(size__gte=1, received__gte=0, received__lte=F("size")), name="item_upload_size_fits"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_complete(self) -> bool:
        return self.received == self.size

    @property
    def percent(self) -> int:
        return 100 * self.received // self.size


class UploadStep(Row):
    """A dry run or the import of an uploaded file; the row is also the background work that does it."""

    class Kind(models.TextChoices):
        CHECK = "check", "Dry run"
        IMPORT = "import", "Import"

    upload = models.ForeignKey(ItemUpload, on_delete=models.PROTECT, related_name="steps", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind)
    read = models.BigIntegerField(default=0, help_text="bytes of the file that have been checked")
    findings = ExactJSONField(
        default=dict, help_text="counts of lines and rows, and the first problems; a requested import: its reason"
    )

    class Meta(Row.Meta):
        indexes = [*Row.Meta.indexes, models.Index(fields=["upload", "id"], name="upload_step_of_upload")]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["upload"], condition=Q(status__in=["queued", "running"]), name="upload_step_one_waiting"
            ),
            models.UniqueConstraint(
                fields=["upload"], condition=Q(status="done", kind="import"), name="upload_step_imported_once"
            ),
            models.CheckConstraint(condition=Q(kind__in=["check", "import"]), name="upload_step_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of upload {self.upload_id}, {self.status}"

    @property
    def percent(self) -> int:
        return 100 * self.read // self.upload.size

    @property
    def is_written(self) -> bool:
        """Whether the whole file has been checked, so that rows are being written."""
        return self.kind == self.Kind.IMPORT and self.read >= self.upload.size


ORDERED_DISAGREEMENT = models.Func(
    models.F("disagreement"), template="COALESCE(%(expressions)s, -1)", output_field=models.FloatField()
)
"""An item's disagreement, or -1, which is less than any, because none is negative.

-1 is written into the statement, because neither database would look up a parameter in the index."""


class ItemSummary(models.Model):
    """One item's row of the table: what it is found, filtered and sorted by. See `managing.items.summaries`.

    `text` is what the search reads: the key, and the beginnings of the instruction and the document, in small letters.
    """

    class State(models.TextChoices):
        OPEN = "open", "Open"
        WORK = "work", "In work"
        COMPLETE = "complete", "Complete"
        NONE = "none", "No tasks"

    item = models.OneToOneField(Item, on_delete=models.PROTECT, primary_key=True, related_name="summary")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="item_summaries", db_index=False)
    key = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    categories = models.TextField(blank=True, help_text="each between line ends")
    set = models.CharField(max_length=7, blank=True)
    pool = models.CharField(max_length=20)
    state = models.CharField(max_length=8, choices=State)
    withdrawn = models.BooleanField(default=False)
    raters = models.PositiveIntegerField(default=0, help_text="people with a current answer")
    answers = models.PositiveIntegerField(default=0, help_text="people's current ratings")
    machine_answers = models.PositiveIntegerField(default=0, help_text="machines' current ratings")
    flags = models.PositiveIntegerField(default=0)
    skips = models.PositiveIntegerField(default=0)
    disagreement = models.FloatField(null=True, blank=True, help_text="the mean over the questions that have one")
    by_question = ExactJSONField(default=dict, blank=True, help_text="{question: disagreement}")

    class Meta:
        verbose_name_plural = "item summaries"
        indexes = [
            models.Index(fields=["study", "item"], name="item_summary_in_order"),
            models.Index(fields=["study", "key"], name="item_summary_by_key"),
            models.Index(fields=["study", "disagreement", "item"], name="item_summary_by_difference"),
            models.Index("study", ORDERED_DISAGREEMENT.desc(), "item", name="item_summary_most_differing"),
            models.Index(fields=["study", "answers", "item"], name="item_summary_by_answers"),
            models.Index(fields=["study", "-answers", "item"], name="item_summary_most_answers"),
            models.Index(fields=["study", "item"], condition=models.Q(flags__gt=0), name="item_summary_flagged"),
            models.Index(fields=["study", "item"], condition=models.Q(skips__gt=0), name="item_summary_skipped"),
            models.Index(fields=["study", "item"], condition=models.Q(withdrawn=True), name="item_summary_withdrawn"),
        ]

    def __str__(self) -> str:
        return f"summary of {self.key}"


class ItemLocalAlpha(models.Model):
    """The local alpha of one item for one question, as the report without choices has it: what its bars lead to."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+", db_index=False)
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="local_alphas")
    alpha = models.FloatField()

    class Meta:
        indexes = [
            models.Index(fields=["question", "alpha", "item"], name="local_alpha_of_question"),
            models.Index(fields=["study"], name="local_alpha_of_study"),
        ]
        constraints = [models.UniqueConstraint(fields=["question", "item"], name="local_alpha_once")]

    def __str__(self) -> str:
        return f"{self.alpha:.3f} of item {self.item_id}"
