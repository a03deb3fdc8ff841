"""Reports and exports that are kept: what was computed, for which choices, and from which state of the data."""

import json
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study
from config.background.rows import Row
from config.model_fields import ExactJSONField


class KeptReport(Row):
    """A report of one kind under one reader's choices; the row is also the background work that computes it.

    For each choice there is at most one that waits and one that is done; a finished one replaces those before it,
    except frozen ones. `state` is the state of the data that the figures are of or, while there are none, for which
    they were requested: see `reports.kept.data_state`.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="kept_reports", db_index=False)
    kind = models.CharField(max_length=40, help_text="key of the kind of report")
    choices = ExactJSONField(default=dict, help_text="what the reader chose")
    digest = models.CharField(max_length=64, help_text="of the choices")
    state = models.CharField(max_length=100, help_text="of the data that the figures are of")
    figures = models.TextField(blank=True, help_text="JSON, in the order in which it was computed")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the data were read")
    seconds = models.FloatField(null=True, blank=True, help_text="how long the computation took")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="empty: a command, or somebody who was erased",
    )
    refused = models.BooleanField(default=False, help_text="the choices select nothing, so it is not tried again")
    frozen_as = models.CharField(
        max_length=64, null=True, blank=True, unique=True,
        help_text="the key of a report that is kept for good; empty: replaced by the next one",
    )  # fmt: skip
    removed_at = models.DateTimeField(null=True, blank=True, help_text="when the figures of a frozen one were removed")
    removed_for = models.TextField(blank=True, help_text="why they were removed")

    class Meta(Row.Meta):
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["study", "kind", "digest", "id"], name="kept_report_of_choices"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study", "kind", "digest"], condition=Q(status__in=["queued", "running"]),
                name="kept_report_one_waiting",
            ),
            models.UniqueConstraint(
                fields=["study", "kind", "digest"], condition=Q(status="done", frozen_as__isnull=True),
                name="kept_report_one_done",
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | (~Q(figures="") & Q(read_at__isnull=False)),
                name="kept_report_done_has_figures",
            ),
            models.CheckConstraint(condition=~Q(frozen_as=""), name="kept_report_frozen_key_given"),
        ]  # fmt: skip

    def parsed_figures(self) -> dict[str, Any]:
        """The figures as plain values; empty if they have been erased."""
        figures: dict[str, Any] = json.loads(self.figures or "{}")
        return figures

    def __str__(self) -> str:
        return f"{self.kind} report of {self.study_id}, {self.status}"


class KeptExport(Row):
    """A study in one file, as it was at one moment; the row is also the background work that writes the file.

    A format has at most one that waits. When the file is removed, the row stays as a tombstone: what was here, when and
    why it was removed.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="kept_exports", db_index=False)
    form = models.CharField(max_length=20, help_text="format of the tables, or bundle")
    state = models.CharField(max_length=100, help_text="of the data in the file")
    coded = models.BooleanField(default=False, help_text="the file calls systems by codes")
    key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False, help_text="names the file on this site")
    has_file = models.BooleanField(default=False, help_text="whether the file is there")
    size = models.BigIntegerField(default=0, help_text="bytes")
    sha256 = models.CharField(max_length=64, blank=True, help_text="of the file")
    contents = ExactJSONField(default=list, help_text="the files in it")
    step = models.CharField(max_length=40, blank=True, help_text="what the worker does now")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: a command, or somebody who was erased",
    )  # fmt: skip
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the data were read")
    seconds = models.FloatField(null=True, blank=True, help_text="how long it took to write")
    removed_at = models.DateTimeField(null=True, blank=True, help_text="when the file was removed")
    removed_for = models.TextField(blank=True, help_text="why the file was removed")

    class Meta(Row.Meta):
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["study", "id"], name="kept_export_of_study"),
            models.Index(fields=["ended_at"], condition=Q(has_file=True), name="kept_export_with_file"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(
                fields=["study", "form"], condition=Q(status__in=["queued", "running"]), name="kept_export_one_waiting"
            ),
            models.CheckConstraint(
                condition=Q(has_file=False) | (Q(status="done", removed_at__isnull=True) & ~Q(sha256="")),
                name="kept_export_file_is_known",
            ),
            models.CheckConstraint(
                condition=Q(removed_at__isnull=True, removed_for="")
                | (Q(removed_at__isnull=False, has_file=False) & ~Q(removed_for="")),
                name="kept_export_removed_for_a_reason",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.form} export of {self.study_id}, {self.status}"
