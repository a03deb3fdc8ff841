"""Imports whose rows are not all in their tables yet: see `files.reading.stepwise_import`."""

from django.db import models


class PendingImport(models.Model):
    """An import whose rows are moved into the tables in short steps, so that others can write in between.

    It is decided once a study points at it. From then on, any process that finds it completes it, and nobody reads the
    study until it is complete. Without a study, it is still being prepared or was interrupted before it was decided.
    """

    slug = models.SlugField(max_length=100, help_text="the study that it adds to")
    moved_at = models.DateTimeField(help_text="when a step was last made")

    def __str__(self) -> str:
        return f"pending import into {self.slug}"


class PendingRows(models.Model):
    """Rows of a pending import, packed by `files.reading.row_packing`; deleted once they are in their table."""

    pending_import = models.ForeignKey(PendingImport, on_delete=models.CASCADE, related_name="rows")
    packed = models.BinaryField()

    class Meta:
        verbose_name_plural = "pending rows"

    def __str__(self) -> str:
        return f"rows {self.pk} of {self.pending_import}"
