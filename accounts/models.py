"""People, the links that sign them in once, and the record of who changed what."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q

from config.fields import ExactJSONField


class Person(AbstractUser):
    """Somebody who signs in. What a person may do follows from memberships in studies, not from groups."""

    full_name = models.CharField(max_length=200, blank=True)

    class Meta:
        verbose_name = "person"
        verbose_name_plural = "people"

    def __str__(self) -> str:
        return self.full_name or self.username


class SignInLink(models.Model):
    """A link that signs one person in, once, until it expires. Only the hash of its secret is kept."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="sign_in_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.person}"


class AuditEntry(models.Model):
    """Who changed what, when, from what to what. Rows are added and never changed: the database refuses it.

    People and studies are named by text, so that an entry outlives what it speaks of.
    """

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        Person,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="audit_entries",
        help_text="empty for commands",
    )
    action = models.CharField(max_length=60)
    study = models.CharField(max_length=100, blank=True, help_text="slug of the study, where there is one")
    subject = models.CharField(max_length=300)
    old = ExactJSONField(null=True, blank=True)
    new = ExactJSONField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["study", "at"], name="audit_study_at")]
        constraints = [models.CheckConstraint(condition=~Q(action=""), name="audit_action_named")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
