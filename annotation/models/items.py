"""Items and the outputs that are judged. Their text is never changed; outputs may be added."""

from django.db import models
from django.db.models import F, Q

from annotation.models.study import Study
from config.model_fields import ExactJSONField


class Item(models.Model):
    """A document with an instruction. `key` is its id in the study's files, `digest` is that of its content.

    Annotators see nothing of it but the document and the instruction. Only items of the main pool have the study's
    tasks, and only those that are not withdrawn count in figures (`annotation.pools`). Copies are
    copies that the program has made; their tasks are shown as all others are, and their answers count nowhere else.
    """

    answer_fields = ("gold",)
    model_fields = ("places",)

    class Set(models.TextChoices):
        PUBLIC = "public", "Public"
        PRIVATE = "private", "Private"

    class Priority(models.IntegerChoices):
        FIRST = 0, "First"
        ORDINARY = 1, "Ordinary"
        LAST = 2, "Last"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items", db_index=False)
    key = models.CharField(max_length=200)
    document = models.TextField(blank=True)
    document_turns = ExactJSONField(
        null=True, blank=True, help_text="[role, start, end] of each turn if the document is a conversation"
    )
    instruction = models.TextField(blank=True)
    source = models.TextField(blank=True, help_text="where the document is from")
    categories = ExactJSONField(null=True, blank=True, help_text="a text or a list of texts, as given")
    references = ExactJSONField(null=True, blank=True, help_text="read by judges, never sent to annotators")
    metadata = ExactJSONField(null=True, blank=True)
    content = ExactJSONField(null=True, blank=True, help_text="content that only the study's protocol reads, as given")
    set = models.CharField(max_length=7, choices=Set, blank=True, help_text="of a published benchmark")
    pool = models.CharField(max_length=20, default="main", help_text="main, copies, or a pool of a part")
    gold = ExactJSONField(null=True, blank=True, help_text="{question: right answer}, never sent to annotators")
    feedback = models.TextField(blank=True, help_text="about the right answers")
    digest = models.CharField(max_length=64)
    priority = models.PositiveSmallIntegerField(
        choices=Priority,
        default=Priority.ORDINARY,
        db_default=Priority.ORDINARY,
        help_text="when its tasks are given out, among those of its batch",
    )
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="since when it is out of tasks and figures")
    withdrawn_reason = models.TextField(blank=True, db_default="")
    places = ExactJSONField(
        null=True, blank=True, help_text="of tasks, as imported, that planning makes instead of the plan's"
    )

    class Meta:
        ordering = ["study", "id"]
        indexes = [
            models.Index(fields=["study", "id"], name="item_in_order"),
            models.Index(fields=["study", "set", "id"], name="item_by_set"),
            models.Index(fields=["study", "priority", "id"], name="item_by_priority"),
            models.Index(
                fields=["study"], condition=~Q(pool="main") | Q(withdrawn_at__isnull=False), name="item_not_counted"
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(priority__lte=2), name="item_priority_known"),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True, withdrawn_reason="")
                | (Q(withdrawn_at__isnull=False) & ~Q(withdrawn_reason="")),
                name="item_withdrawn_with_reason",
            ),
            models.CheckConstraint(condition=Q(set__in=["", "public", "private"]), name="item_set_known"),
            models.CheckConstraint(condition=~Q(pool=""), name="item_pool_given"),
            models.CheckConstraint(condition=Q(feedback="") | Q(gold__isnull=False), name="item_feedback_on_gold"),
            models.UniqueConstraint(fields=["study", "key"], name="item_key_once"),
            models.CheckConstraint(condition=~Q(key=""), name="item_key_given"),
        ]

    def __str__(self) -> str:
        return self.key


class Output(models.Model):
    """A text to be judged. `key` names the system that wrote it and is never shown to annotators."""

    system_fields = ("key", "edited_from")
    model_fields = ("metadata",)
    place_fields = ("position",)

    class Writer(models.TextChoices):
        HUMAN = "human", "Human"
        MODEL = "model", "Model"

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="outputs", db_index=False)
    position = models.PositiveIntegerField(help_text="place in the item's file row")
    key = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    turns = ExactJSONField(null=True, blank=True, help_text="as an item's document_turns")
    edited_from = models.CharField(
        max_length=200, blank=True, help_text="the key of the item's output that this one was edited from"
    )
    writer = models.CharField(max_length=5, choices=Writer, blank=True)
    metadata = ExactJSONField(null=True, blank=True)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["item", "position"]
        constraints = [
            models.CheckConstraint(condition=Q(writer__in=["", "human", "model"]), name="output_writer_known"),
            models.CheckConstraint(condition=~Q(edited_from=F("key")), name="output_edited_from_another"),
            models.UniqueConstraint(fields=["item", "key"], name="output_key_once"),
            models.UniqueConstraint(fields=["item", "position"], name="output_position_once"),
            models.CheckConstraint(condition=~Q(key=""), name="output_key_given"),
        ]

    def __str__(self) -> str:
        return self.key
