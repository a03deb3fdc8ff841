"""Upkeep: deletes messages that were sent, or given up, a month ago."""

from datetime import timedelta

from config.background.kinds import Sweep
from config.background.rows import WAITING
from config.database_clock import database_now
from parts.webhooks.models import WebhookDelivery

KEPT = timedelta(days=30)
AT_ONCE = 1_000


def forget_old() -> int:
    """Delete some old messages and return how many."""
    over = WebhookDelivery.objects.filter(created_at__lt=database_now() - KEPT).exclude(status__in=WAITING)
    old = list(over.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    if old:
        WebhookDelivery.objects.filter(pk__in=old).delete()
    return len(old)


SWEEP = Sweep(key="webhook_messages", run=forget_old, every=600)
