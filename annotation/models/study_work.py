"""Work on a whole study that takes longer than a page may: deleting it, and copying another study's items into it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Study
from config.background.rows import Row


class StudyDeletion(Row):
    """A study that somebody asked to delete. It names the study by its key, since the row outlives the study."""

    study_pk = models.BigIntegerField()
    slug = models.CharField(max_length=100)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta(Row.Meta):
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study_pk"], condition=Q(status__in=["queued", "running"]), name="study_deletion_one_waiting"
            ),
        ]

    def __str__(self) -> str:
        return f"deletion of {self.slug}, {self.status}"


class ItemCopy(Row):
    """The items of a study that are copied into a draft. The study that they come from may be gone meanwhile."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="item_copies")
    source_pk = models.BigIntegerField(help_text="the study that the items come from")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    items = models.PositiveIntegerField(default=0, help_text="how many were copied")

    class Meta(Row.Meta):
        verbose_name_plural = "item copies"
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study"], condition=Q(status__in=["queued", "running"]), name="item_copy_one_waiting"
            ),
        ]

    def __str__(self) -> str:
        return f"copy of items into {self.study_id}, {self.status}"
