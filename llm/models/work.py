"""Calls that wait for a worker."""

from django.conf import settings
from django.db import models

from annotation.models import Study
from config.background.rows import Row
from config.fields import ExactJSONField
from llm.models.calls import Call


class Completion(Row):
    """One queued call and its one result: `call` and `text` where it is done, `kind` and `reason` where it failed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="completions")
    run = models.CharField(max_length=200, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="completions"
    )
    step = models.CharField(max_length=50, blank=True)
    model = models.CharField(max_length=300, help_text="endpoint/model")
    request = ExactJSONField(help_text="messages, prompt and parameters")
    may_be_cached = models.BooleanField(default=False)
    text = models.TextField(blank=True, help_text="the reply, or as far as it has come")
    kind = models.CharField(max_length=20, blank=True, help_text="what kind of failure")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, null=True, blank=True, related_name="completions")

    def __str__(self) -> str:
        return f"completion {self.pk} by {self.model}"
