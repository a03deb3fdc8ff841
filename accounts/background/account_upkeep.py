"""Periodic upkeep: deletes ended sessions, links and counts, and moves old audit entries to files.

Each run does a bounded amount; what is left waits for the next one.
"""

import logging
import secrets
from datetime import UTC, datetime, time, timedelta

from django.conf import settings
from django.db.models import Q

from accounts.audit_archive import ArchiveUnconfirmedError, archive_audit
from accounts.audited_erasure import ErasureRefusedError
from accounts.browser_sessions import clear_ended_sessions
from accounts.models import AuditEntry, SignInLink
from accounts.sign_in_limits import clear_old_counts
from config.background.kinds import Sweep
from config.database_clock import database_now

logger = logging.getLogger(__name__)
EVERY = 600
AT_ONCE = 1000
ENTRIES_AT_ONCE = 5000
LINKS_KEPT = timedelta(days=30)
"""How long a link that was used, revoked or has expired stays listed in the admin."""


def forget_links() -> int:
    """Delete some links that ended a month ago, and return how many."""
    before = database_now() - LINKS_KEPT
    over = Q(used_at__lt=before) | Q(revoked_at__lt=before) | Q(expires_at__lt=before)
    old = list(SignInLink.objects.filter(over).order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    SignInLink.objects.filter(pk__in=old).delete()
    return len(old)


def archive_old_entries() -> int:
    """Move some audit entries older than `AUDIT_KEEP_DAYS` to a new file in VAR/audit, and return how many."""
    if settings.AUDIT_KEEP_DAYS is None:
        return 0
    now = database_now()
    before = datetime.combine((now - timedelta(days=settings.AUDIT_KEEP_DAYS)).date(), time(), UTC)
    if not AuditEntry.objects.filter(at__lt=before).exists():
        return 0
    folder = settings.VAR / "audit"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        name = f"audit-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}.jsonl"
        return archive_audit(before, folder / name, None, ENTRIES_AT_ONCE)
    except (ErasureRefusedError, ArchiveUnconfirmedError) as problem:  # such as another worker's run
        logger.warning("Old audit entries were not archived: %s", problem)
        return 0


def look_after_accounts() -> None:
    """All of it."""
    clear_ended_sessions()
    forget_links()
    clear_old_counts()
    archive_old_entries()


SWEEP = Sweep("accounts", look_after_accounts, EVERY)
