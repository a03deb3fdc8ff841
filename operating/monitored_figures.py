"""What backups add to `/metrics`: how old the last one that worked is."""

from collections.abc import Iterator

from django.utils import timezone

from config.collected_figures import MonitoredFigure
from operating.last_backup import last_backup


def backup_figures() -> Iterator[MonitoredFigure]:
    """Yield the age of the last backup in seconds; infinite without one."""
    made = last_backup().made_at
    age = (timezone.now() - made).total_seconds() if made else float("inf")
    yield MonitoredFigure("interrater_backup_age_seconds", "Age of the last backup that worked", "", {"": age})


FIGURES = backup_figures
