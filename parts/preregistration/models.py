"""Registered plans."""

import json
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study
from config.background.rows import Row
from config.model_fields import ExactJSONField


class Preregistration(Row):
    """A plan of a study, registered before its first answer; the row is also the background work that completes it.

    A worker adds what grows with the study, such as the digest of all items. Then the database refuses every change.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="preregistrations", db_index=False)
    number = models.PositiveIntegerField(help_text="1 for the first plan of the study")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="empty: a command, or somebody who was erased",
    )  # fmt: skip
    chosen = ExactJSONField(default=dict, help_text="what the person wrote: figures, stop rules, hypotheses")
    body = models.TextField(blank=True, help_text="the whole plan as canonical JSON")
    sha256 = models.CharField(max_length=64, blank=True, help_text="of the body")
    registered_at = models.DateTimeField(null=True, blank=True, help_text="when the plan was completed")
    imported_at = models.DateTimeField(
        null=True, blank=True,
        help_text="when a file brought it: it was registered elsewhere, and this site saw nothing of it",
    )  # fmt: skip

    class Meta(Row.Meta):
        constraints = [
            *Row.Meta.constraints,
            models.UniqueConstraint(fields=["study", "number"], name="preregistration_numbered"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(status__in=["queued", "running"]), name="preregistration_one_waiting"
            ),
            models.CheckConstraint(
                condition=~Q(status="done") | (~Q(body="") & ~Q(sha256="") & Q(registered_at__isnull=False)),
                name="preregistration_done_is_complete",
            ),
        ]  # fmt: skip

    def parsed_body(self) -> dict[str, Any]:
        """The plan as plain values; empty until it is registered."""
        body: dict[str, Any] = json.loads(self.body or "{}")
        return body

    def __str__(self) -> str:
        return f"plan {self.number} of {self.study_id}, {self.status}"
