"""Secrets that let programs act in one study for the person who created them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Study


class Token(models.Model):
    """A secret for one study with one scope, until it expires or is revoked. Only its hash is kept.

    It never allows more than its creator may do at that moment; without a role of theirs it allows nothing.
    """

    class Scope(models.TextChoices):
        READ = "read", "Read"
        WRITE = "write", "Read and write"

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="tokens")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100, help_text="which program uses it; visible to the study's researchers")
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.READ)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="token_name_given"),
            models.CheckConstraint(condition=Q(scope__in=["read", "write"]), name="token_scope_known"),
        ]

    def __str__(self) -> str:
        return f"token {self.name} of {self.study}"

    @property
    def writes(self) -> bool:
        return self.scope == self.Scope.WRITE
