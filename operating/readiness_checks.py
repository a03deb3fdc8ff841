"""What backups add to `/readyz`: without a recent one the site is degraded."""

from config.readiness import DEGRADED, OK
from operating.last_backup import last_backup


def backup() -> str:
    """Whether the last backup worked and is not older than BACKUP_WARN_HOURS."""
    return DEGRADED if last_backup().needs_attention else OK


CHECKS = (("backup", backup),)
