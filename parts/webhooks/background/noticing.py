"""Upkeep: reads what is new in the audit and queues a message for each webhook that wants it.

Nothing is written on the path of an answer for this. Entries are read once they can no longer be followed by others
with lower numbers, a few seconds after they were written.
"""

import time
from collections import defaultdict

from django.db import connection, transaction
from django.db.models import Max

from accounts.models import AuditEntry
from annotation.access import backed_by_runner
from annotation.models import Study
from config.background.kinds import Sweep
from parts.webhooks.event_kinds import READ_ACTIONS
from parts.webhooks.models import AuditPosition, Webhook
from parts.webhooks.study_events import events_of
from parts.webhooks.subscriptions import queue_messages

AT_ONCE = 5_000
"""Audit entries that one transaction reads."""
SECONDS = 2.0
"""How long a worker's other upkeep may wait for this."""
TRANSACTIONS = """
    SELECT COALESCE(min(open), pg_snapshot_xmax(pg_current_snapshot())::text::bigint),
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    FROM (SELECT pg_snapshot_xip(pg_current_snapshot())::text::bigint AS open) AS others
    WHERE NOT EXISTS (
        SELECT 1 FROM pg_stat_activity
        WHERE backend_xid::text::bigint = open & 4294967295 AND datname <> current_database()
    )
"""
"""The oldest transaction that is still open, and the next one. Those of other databases do not count if they are known
to this user."""


def notice() -> int:
    """Queue messages about what is new; return of how many audit entries were read. Safe in several workers."""
    ends, read = time.monotonic() + SECONDS, 0
    while _has_news() and time.monotonic() < ends:
        before = read
        read += _read_once()
        if read == before:
            break
    return read


def _active() -> list[Webhook]:
    found = Webhook.objects.filter(backed_by_runner("made_by"), disabled_at=None).select_related("study")
    return list(found.order_by("pk"))


def _newest() -> int:
    return AuditEntry.objects.aggregate(newest=Max("pk"))["newest"] or 0


def _has_news() -> bool:
    """Whether there is something to read, found without the write lock that the reading takes on SQLite."""
    if not Webhook.objects.filter(disabled_at=None).exists():
        return False
    position = AuditPosition.objects.first()
    return position is None or position.through < _newest()


def _read_once() -> int:
    """Read the next entries in one transaction with their messages; 0 if another worker is doing so."""
    AuditPosition.objects.bulk_create([AuditPosition(pk=1)], ignore_conflicts=True)
    with transaction.atomic():
        position = AuditPosition.objects.select_for_update(skip_locked=True, no_key=True).first()
        webhooks = _active()
        if position is None or not webhooks:
            return 0
        first = max(position.through, min(one.after_entry for one in webhooks))
        last = min(_settled(position), first + AT_ONCE)
        if last > position.through:
            if last > first:
                _queue(webhooks, first, last)
            position.through = last
        position.save()
    return max(last - first, 0)


def _settled(position: AuditPosition) -> int:
    """The number up to which the audit is complete. Changes the candidate for the next time."""
    if connection.vendor == "sqlite":  # one transaction writes at a time
        return _newest()
    newest = _newest()
    with connection.cursor() as cursor:
        cursor.execute(TRANSACTIONS)
        oldest, following = cursor.fetchone()
    settled = position.candidate if oldest >= position.transaction else position.through
    if settled >= position.candidate:
        position.candidate, position.transaction = newest, following
    return settled


def _queue(webhooks: list[Webhook], first: int, last: int) -> None:
    """Queue the messages about the entries after `first`, up to `last`."""
    by_study: dict[str, list[Webhook]] = defaultdict(list)
    for webhook in webhooks:
        by_study[webhook.study.slug].append(webhook)
    entries = AuditEntry.objects.filter(pk__gt=first, pk__lte=last, study__in=by_study, action__in=READ_ACTIONS)
    found: dict[str, list[AuditEntry]] = defaultdict(list)
    for entry in entries.order_by("pk"):
        found[entry.study].append(entry)
    for slug, new in found.items():
        study: Study = by_study[slug][0].study
        since = min(webhook.after_entry for webhook in by_study[slug])
        wanted = {kind for webhook in by_study[slug] for kind in webhook.events}
        events = events_of(study, [entry for entry in new if entry.pk > since], wanted)
        begun = {webhook.pk: _begun(webhook, new) for webhook in by_study[slug]}
        queue_messages(
            [
                (webhook, event.kind, event.at, event.data)
                for event in events
                for webhook in by_study[slug]
                if event.kind in webhook.events and begun[webhook.pk]
            ]
        )


def _begun(webhook: Webhook, entries: list[AuditEntry]) -> bool:
    """Whether the last of these entries is one that the webhook sends."""
    return entries[-1].pk > webhook.after_entry


SWEEP = Sweep(key="webhook_events", run=notice, every=3)
