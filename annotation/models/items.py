"""Items and the outputs that are judged. Their text is never changed; outputs may be added."""

from django.db import models
from django.db.models import Q

from annotation.models.study import Study
from config.model_fields import ExactJSONField


class Item(models.Model):
    """A document with an instruction. `key` is its id in the study's files, `digest` is that of its content."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items", db_index=False)
    key = models.CharField(max_length=200)
    document = models.TextField(blank=True)
    instruction = models.TextField(blank=True)
    categories = ExactJSONField(null=True, blank=True, help_text="a text or a list of texts, as given")
    references = ExactJSONField(null=True, blank=True, help_text="read by judges, never sent to annotators")
    metadata = ExactJSONField(null=True, blank=True)
    content = ExactJSONField(null=True, blank=True, help_text="content that only the study's protocol reads, as given")
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["study", "id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="item_key_once"),
            models.CheckConstraint(condition=~Q(key=""), name="item_key_given"),
        ]

    def __str__(self) -> str:
        return self.key


class Output(models.Model):
    """A text to be judged. `key` names the system that wrote it and is never shown to annotators."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="outputs", db_index=False)
    position = models.PositiveIntegerField(help_text="place in the item's file row")
    key = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    metadata = ExactJSONField(null=True, blank=True)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["item", "position"]
        constraints = [
            models.UniqueConstraint(fields=["item", "key"], name="output_key_once"),
            models.UniqueConstraint(fields=["item", "position"], name="output_position_once"),
            models.CheckConstraint(condition=~Q(key=""), name="output_key_given"),
        ]

    def __str__(self) -> str:
        return self.key
