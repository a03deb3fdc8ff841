"""Judged examples that researchers write for the prompts of judges. Annotators never see them."""

from django.db import models

from annotation.models.study import Study
from config.model_fields import ExactJSONField


class WrittenExample(models.Model):
    """One line of a study's `examples.jsonl`. Lines are added and never change, so the first ones stay the same.

    An import may put a new edition in their place. Runs that were made before keep the edition that they show.
    """

    model_fields = ("outputs", "values")

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="written_examples", db_index=False)
    position = models.PositiveIntegerField(help_text="place among the study's examples, from 0")
    edition = models.PositiveIntegerField(default=0, help_text="the newest one is shown by new runs and exported")
    item_key = models.CharField(max_length=200, blank=True, help_text="the item that it is about, if it is about one")
    document = models.TextField(blank=True)
    instruction = models.TextField(blank=True)
    outputs = ExactJSONField(help_text="the text of one output, or a list of {id, text}")
    values = ExactJSONField(help_text="{question: value}")
    rationale = models.TextField(blank=True)
    digest = models.CharField(max_length=64, help_text="of everything that the line says")

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "position"], name="example_position_once"),
            models.UniqueConstraint(fields=["study", "edition", "digest"], name="example_content_once"),
        ]

    def __str__(self) -> str:
        return f"example {self.position + 1} of {self.study_id}"

    @classmethod
    def newest(cls, study: Study) -> "models.QuerySet[WrittenExample]":
        """Return the examples of the study's newest edition in their order."""
        mine = cls.objects.filter(study=study)
        newest = mine.order_by("-edition").values("edition")[:1]
        return mine.filter(edition=models.Subquery(newest)).order_by("position")
