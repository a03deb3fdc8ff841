"""What is drawn, asked, suggested and written while a study is prepared, before any of it is an item."""

from typing import Any

from django.db import models
from django.db.models import Q

from annotation.models import Item, Study
from config.background.rows import Row
from config.model_fields import ExactJSONField
from llm.models import Reservation
from llm.reply_outcomes import ReplyOutcome

LONGEST_KEY = 200


class DocumentSample(models.Model):
    """One drawing of documents from a file: how it was drawn, and how many documents each source had."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="document_samples", db_index=False)
    number = models.PositiveIntegerField()
    file_name = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the file")
    seed = models.BigIntegerField()
    per_source = models.PositiveIntegerField(help_text="how many documents of each source, at most")
    fewest_words = models.PositiveIntegerField(null=True, blank=True)
    most_words = models.PositiveIntegerField(null=True, blank=True)
    counts = ExactJSONField(help_text="{source: {read, in_range, drawn}}")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="document_sample_number_once")]

    def __str__(self) -> str:
        return f"sample {self.number} of {self.study_id}"


class SourceDocument(models.Model):
    """A document that was drawn. `content` has the other keys of its line, as given."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="source_documents", db_index=False)
    sample = models.ForeignKey(DocumentSample, on_delete=models.PROTECT, related_name="documents")
    key = models.CharField(max_length=LONGEST_KEY)
    source = models.CharField(max_length=LONGEST_KEY, blank=True)
    text = models.TextField()
    words = models.PositiveIntegerField()
    content = ExactJSONField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "key"], name="source_document_key_once")]

    def __str__(self) -> str:
        return self.key

    @property
    def title(self) -> str:
        """The title that its line has, or ""."""
        given = (self.content or {}).get("title", "")
        return given if isinstance(given, str) else ""


class InstructionTrial(models.Model):
    """Several models write instructions for the same documents; evaluators rate the sets in a study of their own."""

    system_fields = ("winner",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="instruction_trials", db_index=False)
    number = models.PositiveIntegerField()
    evaluators = models.PositiveSmallIntegerField(help_text="raters per document")
    documents = ExactJSONField(help_text="the ids of the documents, in the order drawn")
    rated_in = models.CharField(
        max_length=100, blank=True, help_text="slug of the study in which the sets are rated, which may be erased alone"
    )
    result = ExactJSONField(null=True, blank=True, help_text="wins by model, kept when the winner was chosen")
    winner = models.CharField(max_length=300, blank=True, help_text="endpoint/model")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["study", "number"], name="instruction_trial_number_once")]

    def __str__(self) -> str:
        return f"trial {self.number} of {self.study_id}"


class PreparationStep(models.Model):
    """One thing that a model is asked about many documents or instructions, such as all answers of one system.

    `configuration` holds everything that decides what is asked: `step_configuration.StepConfiguration`.
    """

    class Status(models.TextChoices):
        RUNNING = "running", "Running"
        FINISHED = "finished", "Finished"
        STOPPED = "stopped", "Stopped"
        OUT_OF_BUDGET = "out_of_budget", "Out of budget"

    model_fields = ("configuration", "message")

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="preparation_steps", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=30, help_text="a module of step_kinds")
    trial = models.ForeignKey(InstructionTrial, on_delete=models.PROTECT, null=True, blank=True, related_name="steps")
    configuration = ExactJSONField()
    status = models.CharField(max_length=13, choices=Status, default=Status.RUNNING)
    estimate = ExactJSONField(null=True, blank=True, help_text="see llm.call_estimates")
    reservation = models.ForeignKey(Reservation, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    message = models.TextField(blank=True, help_text="why the step is not going on")
    client_key = models.UUIDField(
        null=True, blank=True, unique=True, help_text="makes a repeated request for the step harmless"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="preparation_step_number_once"),
            models.CheckConstraint(
                condition=Q(status__in=["running", "finished", "stopped", "out_of_budget"]),
                name="preparation_step_status_known",
            ),
        ]

    def __str__(self) -> str:
        return f"step {self.number} of {self.study_id}"

    @property
    def charge_name(self) -> str:
        """The name under which the ledger and the budgets know the step."""
        return f"prepare/{self.number}"

    def said(self, name: str) -> Any:
        """Return a value of the configuration, or None."""
        return self.configuration.get(name)


class Suggestion(models.Model):
    """An instruction, requirement or question for a document, by a model or a person.

    `text` is what it is now and `original` what the model wrote. An accepted one becomes an item; `reason` says why one
    was dropped.
    """

    class Kind(models.TextChoices):
        INSTRUCTION = "instruction", "Instruction"
        REQUIREMENT = "requirement", "Requirement"
        QUESTION = "question", "Question"

    class State(models.TextChoices):
        OPEN = "open", "To decide"
        ACCEPTED = "accepted", "Accepted"
        DROPPED = "dropped", "Dropped"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="suggestions", db_index=False)
    document = models.ForeignKey(SourceDocument, on_delete=models.PROTECT, related_name="suggestions", db_index=False)
    number = models.PositiveIntegerField(help_text="its place among those of its document, from 1")
    kind = models.CharField(max_length=11, choices=Kind)
    text = models.TextField()
    original = models.TextField(blank=True, help_text="as the model wrote it; empty if a person wrote it")
    kinds = ExactJSONField(default=list, help_text="informational, formatting, meta")
    step = models.ForeignKey(
        PreparationStep, on_delete=models.PROTECT, null=True, blank=True, related_name="suggestions",
        help_text="empty: a person wrote it",
    )  # fmt: skip
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    reason = models.TextField(blank=True)
    item = models.OneToOneField(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="suggestion")

    class Meta:
        indexes = [models.Index(fields=["study", "state", "id"], name="suggestion_of_study")]
        constraints = [
            models.UniqueConstraint(fields=["document", "number"], name="suggestion_number_once"),
            models.CheckConstraint(
                condition=Q(state__in=["open", "accepted", "dropped"]), name="suggestion_state_known"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["instruction", "requirement", "question"]), name="suggestion_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(item__isnull=True) | Q(state="accepted"), name="suggestion_placed_is_accepted"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.document_id}"

    @property
    def item_key(self) -> str:
        """The id of the item that it becomes."""
        return f"{self.document.key[: LONGEST_KEY - 12]}-{self.number}"


class PreparedText(models.Model):
    """An output or reference of a future item. A hybrid keeps which output was edited, and the difference."""

    class Role(models.TextChoices):
        OUTPUT = "output", "Output"
        REFERENCE = "reference", "Reference"

    class Writer(models.TextChoices):
        MODEL = "model", "Model"
        HUMAN = "human", "Person"

    system_fields = ("key",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="prepared_texts", db_index=False)
    suggestion = models.ForeignKey(Suggestion, on_delete=models.PROTECT, related_name="texts", db_index=False)
    role = models.CharField(max_length=9, choices=Role)
    key = models.CharField(max_length=LONGEST_KEY, help_text="the output's or reference's id: that of its system")
    text = models.TextField()
    writer = models.CharField(max_length=5, choices=Writer)
    edited_from = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="edits")
    difference = ExactJSONField(null=True, blank=True, help_text="[[same, added or removed, text], ...]")
    step = models.ForeignKey(PreparationStep, on_delete=models.PROTECT, null=True, blank=True, related_name="texts")

    class Meta:
        indexes = [models.Index(fields=["study", "role", "key"], name="prepared_text_of_study")]
        constraints = [
            models.UniqueConstraint(fields=["suggestion", "role", "key"], name="prepared_text_key_once"),
            models.CheckConstraint(condition=Q(role__in=["output", "reference"]), name="prepared_text_role_known"),
            models.CheckConstraint(condition=Q(writer__in=["model", "human"]), name="prepared_text_writer_known"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.key} of {self.suggestion_id}"


class PreparationCall(Row):
    """What a step asks about one document, or about one instruction of it. Its calls have its name in the ledger.

    `outcome` is empty until the model has answered; `reading` says what was read and not kept in a row of its own.
    """

    Outcome = ReplyOutcome

    step = models.ForeignKey(PreparationStep, on_delete=models.PROTECT, related_name="calls", db_index=False)
    place = models.PositiveIntegerField(help_text="its place in the step, from 0")
    document = models.ForeignKey(SourceDocument, on_delete=models.PROTECT, related_name="calls", db_index=False)
    suggestion = models.ForeignKey(
        Suggestion, on_delete=models.PROTECT, null=True, blank=True, related_name="calls", db_index=False
    )
    outcome = models.CharField(max_length=9, choices=Outcome, blank=True)
    reading = ExactJSONField(null=True, blank=True)

    class Meta(Row.Meta):
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["step", "status", "outcome"], name="preparation_call_of_step"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(fields=["step", "place"], name="preparation_call_place_once"),
            models.CheckConstraint(
                condition=Q(outcome__in=["", "valid", "invalid", "refused", "filtered", "truncated"]),
                name="preparation_call_outcome_known",
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | ~Q(outcome=""), name="preparation_call_done_has_outcome"
            ),
        ]

    def __str__(self) -> str:
        return f"call {self.place} of {self.step_id}"

    @property
    def work_name(self) -> str:
        """The name under which the ledger has its calls."""
        return f"preparation:{self.pk}"
