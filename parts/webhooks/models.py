"""Webhooks of studies, what is sent to them, and how far the audit was read for them."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Item, Study
from config.background.rows import Row
from config.model_fields import ExactJSONField


class Webhook(models.Model):
    """An address that is called when something happens in a study, until it is disabled.

    Its secret is made from the site's secret key and `salt`, so that no copy of the database contains it; its hash
    says with which key. Nothing is sent any more when the person who added it no longer runs the study.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="webhooks")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="webhooks")
    address = models.CharField(max_length=500)
    events = ExactJSONField(help_text="the kinds of events that are sent")
    salt = models.CharField(max_length=64, editable=False)
    secret_hash = models.CharField(max_length=64, editable=False)
    after_entry = models.BigIntegerField(help_text="only what the audit has after this entry is sent")
    created_at = models.DateTimeField(auto_now_add=True)
    failures = models.PositiveIntegerField(default=0, help_text="failed deliveries in a row")
    failing_since = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True, help_text="nothing is sent before this time")
    disabled_at = models.DateTimeField(null=True, blank=True)
    disabled_reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(address=""), name="webhook_address_given"),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since__isnull=True) | Q(failures__gt=0, failing_since__isnull=False),
                name="webhook_failures_fit",
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.study}"


class WebhookDelivery(Row):
    """A message to a webhook. What is sent again has the same `message_id` and the same body."""

    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, related_name="deliveries", db_index=False)
    event = models.CharField(max_length=40)
    message_id = models.UUIDField(default=uuid.uuid4, editable=False)
    body = models.TextField(help_text="JSON, as it is signed and sent")
    tries = models.PositiveIntegerField(default=0, help_text="how often it was sent")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="the last try")
    response_status = models.PositiveSmallIntegerField(null=True, blank=True, help_text="of the last try's response")

    class Meta(Row.Meta):
        verbose_name_plural = "webhook deliveries"
        indexes = [*Row.Meta.indexes, models.Index(fields=["webhook", "id"], name="delivery_of_webhook")]

    def __str__(self) -> str:
        return f"{self.event} to webhook {self.webhook_id}"


class FinishedWork(models.Model):
    """An item that has all its answers, or without `item` the whole study: webhooks have been told."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="+")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name_plural = "finished work"
        constraints = [
            models.UniqueConstraint(fields=["item"], condition=Q(item__isnull=False), name="finished_item_once"),
            models.UniqueConstraint(fields=["study"], condition=Q(item__isnull=True), name="finished_study_once"),
        ]

    def __str__(self) -> str:
        return f"finished: {self.item or self.study}"


class AuditPosition(models.Model):
    """How far the audit was read for webhooks: one row.

    On PostgreSQL an entry may become visible after others with higher numbers. `candidate` is the highest number that
    was visible when `transaction` was the next transaction; once all earlier ones have ended, nothing below it can
    appear any more.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    through = models.BigIntegerField(default=0, help_text="the last audit entry that was read")
    candidate = models.BigIntegerField(default=0)
    transaction = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(through__gte=0, candidate__gte=0), name="audit_position_positive"),
            models.CheckConstraint(condition=Q(pk=1), name="audit_position_one_row"),
        ]

    def __str__(self) -> str:
        return f"audit read through entry {self.through}"
