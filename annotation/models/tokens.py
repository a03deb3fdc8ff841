"""Secrets that let programs act for the person who created them: in one study, in several, or as an annotator."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.models.study import Study
from config.database_clock import database_now
from config.model_fields import ExactJSONField


class Token(models.Model):
    """A secret with one scope, until it expires or is revoked. Only its hash is kept.

    With a `study` it opens that study alone: to the people who run it, or with the scope *annotate* the tasks of the
    annotator who made it. Without one it is a token of the account: it opens all studies that the person runs, or
    those that `TokenStudy` rows name. It never allows more than its creator may do at that moment; without a role
    of theirs it allows nothing.
    """

    class Scope(models.TextChoices):
        READ = "read", gettext_lazy("Read")
        WRITE = "write", gettext_lazy("Read and write")
        ANNOTATE = "annotate", gettext_lazy("Annotate")

    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="tokens")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100, help_text="which program uses it; visible to the study's researchers")
    scope = models.CharField(max_length=8, choices=Scope, default=Scope.READ)
    names_studies = models.BooleanField(
        default=False, help_text="a token of an account: whether it opens only the studies that its rows name"
    )
    makes_studies = models.BooleanField(default=False, help_text="a token of an account: whether it may make studies")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="token_name_given"),
            models.CheckConstraint(condition=Q(scope__in=["read", "write", "annotate"]), name="token_scope_known"),
            models.CheckConstraint(
                condition=~Q(scope="annotate") | Q(study__isnull=False), name="token_annotates_in_a_study"
            ),
            models.CheckConstraint(
                condition=Q(study__isnull=True) | Q(names_studies=False, makes_studies=False),
                name="token_of_study_opens_it_alone",
            ),
            models.CheckConstraint(
                condition=Q(makes_studies=False) | Q(scope="write"), name="token_that_makes_studies_writes"
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.name} of {self.study or self.made_by}"

    @property
    def writes(self) -> bool:
        return self.scope == self.Scope.WRITE

    @property
    def annotates(self) -> bool:
        return self.scope == self.Scope.ANNOTATE


class TokenStudy(models.Model):
    """A study that a token of an account opens."""

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="opened", db_index=False)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="opening_tokens")

    class Meta:
        verbose_name_plural = "token studies"
        constraints = [models.UniqueConstraint(fields=["token", "study"], name="token_study_once")]

    def __str__(self) -> str:
        return f"{self.study} for token {self.token_id}"


class KeptResponse(models.Model):
    """The response to a request that a program sent with an idempotency key, kept for a day.

    Without a status the request is under way: `attempt` names the process that works on it.
    """

    caller = models.CharField(max_length=40, help_text="the token or the person whose keys these are")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="kept_responses")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="of the request's method, address and body")
    attempt = models.UUIDField(default=uuid.uuid4)
    begun_at = models.DateTimeField(default=database_now, db_index=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    body = models.TextField(blank=True)
    headers = ExactJSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["caller", "key"], name="kept_response_key_once"),
            models.CheckConstraint(condition=~Q(key=""), name="kept_response_key_given"),
        ]

    def __str__(self) -> str:
        return f"response to {self.caller}"
