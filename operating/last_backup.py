"""When the last backup was made, and how it ended: a small file in VAR, which a restore does not bring back."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

NAME = "last_backup.json"


@dataclass(frozen=True)
class LastBackup:
    """The last attempt to make a backup, and the last one that worked.

    `problem` is why the last attempt failed, "" if it worked. Without `made_at` none has ever worked.
    """

    tried_at: datetime | None = None
    problem: str = ""
    made_at: datetime | None = None
    file: str = ""
    size: int = 0
    rows: int = 0
    seconds: float = 0.0

    @property
    def is_late(self) -> bool:
        """Whether the last one that worked is older than BACKUP_WARN_HOURS, or there is none."""
        oldest = timezone.now() - timedelta(hours=settings.BACKUP_WARN_HOURS)
        return self.made_at is None or self.made_at < oldest

    @property
    def needs_attention(self) -> bool:
        return self.is_late or bool(self.problem)


def last_backup() -> LastBackup:
    """Return what is known; an unreadable file is no backup."""
    try:
        kept = json.loads(_place().read_text(encoding="utf-8"))
        times = {name: datetime.fromisoformat(kept[name]) for name in ("tried_at", "made_at") if kept[name]}
        return LastBackup(**{**kept, "tried_at": None, "made_at": None, **times})
    except (OSError, ValueError, KeyError, TypeError):
        return LastBackup()


def note_backup(file: Path, size: int, rows: int, seconds: float) -> None:
    """Keep that a backup was made."""
    now = timezone.now()
    _keep(LastBackup(now, "", now, str(file), size, rows, round(seconds, 1)))


def note_failure(problem: str) -> None:
    """Keep that a backup failed; what is known of the last one that worked stays."""
    known = asdict(last_backup())
    _keep(LastBackup(**{**known, "tried_at": timezone.now(), "problem": problem}))


def _keep(what: LastBackup) -> None:
    kept = asdict(what)
    kept |= {name: kept[name] and kept[name].isoformat() for name in ("tried_at", "made_at")}
    partial = _place().with_suffix(f".{os.getpid()}")
    try:
        partial.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        partial.replace(_place())
    finally:
        partial.unlink(missing_ok=True)  # it is there only if the disk is full


def _place() -> Path:
    return Path(settings.VAR) / NAME
