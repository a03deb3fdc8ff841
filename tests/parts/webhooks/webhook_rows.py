"""A row of each table of webhooks, for tests that open every page and use every model."""

from django.utils import timezone

from accounts.secret_tokens import token_hash
from parts.webhooks.models import AuditPosition, FinishedWork, Webhook, WebhookDelivery
from parts.webhooks.signing import new_secret

ADDRESS = "https://hooks.example.org/interrater"


def add_webhook_rows(study, person):
    """A webhook with a message that was accepted, and an item that is finished; each by its model's name."""
    salt = "a" * 64
    webhook = Webhook.objects.create(
        study=study, made_by=person, address=ADDRESS, events=["study.closed"], salt=salt,
        secret_hash=token_hash(new_secret(salt)), after_entry=0,
    )  # fmt: skip
    now = timezone.now()
    delivery = WebhookDelivery.objects.create(
        webhook=webhook, event="study.closed", body="{}", status="done", ended_at=now, sent_at=now, tries=1,
        response_status=204,
    )  # fmt: skip
    finished = FinishedWork.objects.create(study=study, item=study.items.first())
    return {"webhook": webhook, "webhookdelivery": delivery, "finishedwork": finished,
            "auditposition": AuditPosition.objects.get_or_create(pk=1)[0]}  # fmt: skip
