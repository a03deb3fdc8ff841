"""Queued calls."""

from django.conf import settings
from django.db import models

from annotation.models import Study
from config.background.rows import Row
from config.model_fields import ExactJSONField
from llm.models.calls import Call


class Completion(Row):
    """A queued call and its result: `call` and `text` if it is done, `kind` and `reason` if it failed."""

    system_fields = ("model",)

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="completions")
    run = models.CharField(max_length=200, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="completions"
    )
    step = models.CharField(max_length=50, blank=True)
    model = models.CharField(max_length=300, help_text="endpoint/model")
    request = ExactJSONField(help_text="messages, prompt and parameters")
    may_be_cached = models.BooleanField(default=False)
    text = models.TextField(blank=True, help_text="the reply, or as much of it as has been received")
    kind = models.CharField(max_length=20, blank=True, help_text="kind of failure")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, null=True, blank=True, related_name="completions")

    def __str__(self) -> str:
        return f"completion {self.pk} by {self.model}"
