"""Studies' own prompts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study


class StudyPrompt(models.Model):
    """A version of a study's own text for a prompt. Versions are added, never changed; the highest is used."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="prompts", db_index=False)
    key = models.CharField(max_length=400, help_text="app and name, such as sessions/first")
    number = models.PositiveIntegerField()
    system = models.TextField(blank=True)
    user = models.TextField()
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="prompts",
        help_text="empty: a command",
    )  # fmt: skip

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "key", "number"], name="study_prompt_number_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="study_prompt_number_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.number} of {self.study_id}"
