"""The only writer of webhooks: add, change, disable, enable and remove them, and queue messages by hand."""

import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from accounts.secret_tokens import token_hash
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from config.model_fields import canonical_json
from parts.webhooks.allowed_addresses import target_of
from parts.webhooks.event_kinds import TEST
from parts.webhooks.models import Webhook, WebhookDelivery
from parts.webhooks.signing import new_secret

WORK_KEY = "webhook"
MOST = 10
BY_HAND = "Disabled on this page."


OF_DRY_RUN = "A dry run sends no messages."


class WebhookRefusedError(Exception):
    """The step is not possible; the message says why."""


def add_webhook(study: Study, actor: Person, address: str, events: Collection[str]) -> tuple[Webhook, str]:
    """Add a webhook and return it with its secret, which is shown once. Raises WebhookRefusedError.

    Raises AddressRefusedError if the operator does not allow the address.
    """
    if study.is_dry_run:
        raise WebhookRefusedError(OF_DRY_RUN)
    target = target_of(address)
    salt = secrets.token_hex(32)
    secret = new_secret(salt)
    with transaction.atomic():
        lock_study(study.pk)
        if Webhook.objects.filter(study=study).count() >= MOST:
            raise WebhookRefusedError(f"A study has at most {MOST} webhooks. Remove one first.")
        webhook = Webhook.objects.create(
            study=study, made_by=actor, address=address, events=sorted(events), salt=salt,
            secret_hash=token_hash(secret), after_entry=0,
        )  # fmt: skip
        new = {"host": target.host, "events": webhook.events}
        _audit("webhook added", webhook, actor, new=new)
    return webhook, secret


def choose_events(webhook: Webhook, actor: Person, events: Collection[str]) -> None:
    """Change which events are sent from now on."""
    with transaction.atomic():
        now = _locked(webhook)
        old, now.events = now.events, sorted(events)
        if old != now.events:
            now.save(update_fields=["events"])
            record("webhook changed", f"webhook {now.pk}", actor=actor, study=now.study.slug, old={"events": old},
                   new={"events": now.events})  # fmt: skip


def disable_webhook(webhook: Webhook, actor: Person | None, reason: str = BY_HAND) -> bool:
    """Send nothing more, and stop what waits; return False if it was disabled before."""
    with transaction.atomic():
        now = _locked(webhook)
        if now.disabled_at is not None:
            return False
        now.disabled_at, now.disabled_reason = database_now(), reason
        now.save(update_fields=["disabled_at", "disabled_reason"])
        WebhookDelivery.objects.filter(webhook=now, status=Status.QUEUED).update(stop_asked=True)
        record("webhook disabled", f"webhook {now.pk}", actor=actor, study=now.study.slug, new={"reason": reason})
    return True


def enable_webhook(webhook: Webhook, actor: Person) -> bool:
    """Send what happens from now on; return False if it was enabled. Raises AddressRefusedError."""
    target_of(webhook.address)
    with transaction.atomic():
        now = _locked(webhook)
        if now.disabled_at is None:
            return False
        now.disabled_at, now.disabled_reason, now.made_by = None, "", actor
        now.failures, now.failing_since, now.paused_until = 0, None, None
        now.save()
        _audit("webhook enabled", now, actor)
    return True


def remove_webhook(webhook: Webhook, actor: Person) -> None:
    """Delete a webhook with its deliveries. Raises WebhookRefusedError while one is being sent."""
    with transaction.atomic():
        now = _locked(webhook)
        mine = WebhookDelivery.objects.filter(webhook=now)
        if mine.filter(status=Status.RUNNING).exists():
            raise WebhookRefusedError("A message is being sent. Wait a few seconds and try again.")
        mine.delete()
        record("webhook removed", f"webhook {now.pk}", actor=actor, study=now.study.slug)
        now.delete()


def send_test(webhook: Webhook, actor: Person) -> WebhookDelivery:
    """Queue a test message. Raises WebhookRefusedError."""
    with transaction.atomic():
        now = _enabled(webhook)
        [made] = queue_messages([(now, TEST, database_now(), {"study": now.study.slug})])
        record("webhook tested", f"webhook {now.pk}", actor=actor, study=now.study.slug)
    return made


def send_again(delivery: WebhookDelivery, actor: Person) -> WebhookDelivery:
    """Queue a message again, with the same id and body. Raises WebhookRefusedError."""
    with transaction.atomic():
        now = _enabled(delivery.webhook)
        same = WebhookDelivery.objects.filter(webhook=now, message_id=delivery.message_id, status__in=WAITING)
        if same.exists():
            raise WebhookRefusedError("This message is waiting to be sent already.")
        made = WebhookDelivery.objects.create(
            webhook=now, event=delivery.event, message_id=delivery.message_id, body=delivery.body
        )
        enqueue(works()[WORK_KEY], made)
        name = f"webhook {now.pk}"
        record("webhook message repeated", name, actor=actor, study=now.study.slug, new={"delivery": made.pk})
    return made


def queue_messages(messages: Collection[tuple[Webhook, str, datetime, dict[str, Any]]]) -> list[WebhookDelivery]:
    """Queue messages of (webhook, event, time, data). Call it in the transaction that reads the events."""
    made = [
        WebhookDelivery.objects.create(
            webhook=webhook, event=event,
            body=canonical_json({"type": str(event), "timestamp": at.isoformat(), "data": data}),
        )
        for webhook, event, at, data in messages
    ]  # fmt: skip
    enqueue(works()[WORK_KEY], *made)
    return made


def _audit(action: str, webhook: Webhook, actor: Person | None, new: dict[str, Any] | None = None) -> None:
    """Record that a webhook begins to send: what the audit has after this entry."""
    entry = record(action, f"webhook {webhook.pk}", actor=actor, study=webhook.study.slug, new=new)
    webhook.after_entry = entry.pk
    webhook.save(update_fields=["after_entry"])


def _locked(webhook: Webhook) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",), no_key=True).select_related("study").get(pk=webhook.pk)


def _enabled(webhook: Webhook) -> Webhook:
    now = _locked(webhook)
    if now.disabled_at is not None:
        raise WebhookRefusedError("The webhook is disabled. Enable it first.")
    return now
