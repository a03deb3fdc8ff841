"""The one writer of audit entries."""

from typing import Any

from accounts.models import AuditEntry, Person


def record(
    action: str, subject: str, *, actor: Person | None, study: str = "", old: Any = None, new: Any = None
) -> AuditEntry:
    """Keep that `actor` (None: a command) did `action` to `subject`; call it in the transaction of the change."""
    return AuditEntry.objects.create(action=action, subject=subject[:300], actor=actor, study=study, old=old, new=new)
