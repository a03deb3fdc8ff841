"""What workers count about each item of a study, for the table of items."""

from django.db import models

from annotation.models import Item, Study
from config.model_fields import ExactJSONField


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
    pool = models.CharField(max_length=13)
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
            models.Index(fields=["study", "answers", "item"], name="item_summary_by_answers"),
        ]

    def __str__(self) -> str:
        return f"summary of {self.key}"
