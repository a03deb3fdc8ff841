"""What operating adds: the age of the last backup."""

from collections.abc import Iterator

from django.utils import timezone

from config.monitored_figures import MonitoredFigure
from config.part import Part
from config.readiness import DEGRADED, OK
from operating.last_backup import last_backup


def backup_state() -> str:
    """Whether the last backup worked and is not older than BACKUP_WARN_HOURS."""
    return DEGRADED if last_backup().needs_attention else OK


class OperatingPart(Part):
    readiness = {"backup": backup_state}

    def figures(self) -> Iterator[MonitoredFigure]:
        """Yield the age of the last backup that worked, in seconds; infinite without one."""
        made = last_backup().made_at
        age = (timezone.now() - made).total_seconds() if made else float("inf")
        yield MonitoredFigure("interrater_backup_age_seconds", "Age of the last backup that worked", "", {"": age})


PART = OperatingPart()
