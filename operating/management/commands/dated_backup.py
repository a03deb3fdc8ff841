"""`python manage.py dated_backup FOLDER`: a backup named after the moment, and only the newest ones kept.

With `--daily-at` it stays and makes one each day: the service `backup` of docker-compose.yml.
"""

import fcntl
import re
import time
from argparse import ArgumentTypeError
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connections
from django.utils import timezone

from config.explained_problems import explain
from operating.backing_up import PARTIAL
from operating.backup_format import BackupRefusedError
from operating.last_backup import last_backup
from operating.making_backups import make_backup

NAME = re.compile(r"interrater-\d{4}-\d\d-\d\dT\d{6}Z\.zip")
RETRY = timedelta(minutes=30)
LONGEST_SLEEP = 60.0


class Command(BaseCommand):
    help = "Write a backup named after the moment into a folder, and delete all but the newest of its kind there."
    requires_system_checks: list[str] = []  # a backup must work when something else does not

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)
        told = f"how many backups stay (BACKUP_KEEP: {settings.BACKUP_KEEP})"
        parser.add_argument("--keep", type=positive, default=settings.BACKUP_KEEP, help=told)
        parser.add_argument("--daily-at", type=clock, metavar="HH:MM", help="stay, and make one each day at this time")
        parser.add_argument("--check", action="store_true", help="only say whether the last one worked and is recent")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            if last_backup().needs_attention:
                raise CommandError("The last backup failed or is old. The admin's first page says more.")
        elif options["daily_at"] is None:
            self.stdout.write(str(dated_backup(options["folder"], options["keep"])))
        else:
            self.make_daily(options["folder"], options["keep"], options["daily_at"])

    def make_daily(self, folder: Path, keep: int, at: tuple[int, int]) -> None:
        """Make a backup now if there is none of the last day, then one each day; try a failed one again soon."""
        newest = max((path.stat().st_mtime for path in kept(folder)), default=0.0)
        due = following(at, datetime.fromtimestamp(newest, tz=timezone.get_default_timezone()))
        while True:
            if timezone.now() >= due:
                try:
                    self.stdout.write(str(dated_backup(folder, keep)))
                    due = following(at, timezone.now())
                except (CommandError, DatabaseError, OSError) as problem:
                    self.stderr.write(f"No backup was made: {explain(problem)}")
                    due = timezone.now() + RETRY
                self.stdout.flush()
                connections.close_all()
            time.sleep(min(LONGEST_SLEEP, max(0.0, (due - timezone.now()).total_seconds())))


def positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError("it must be a whole number of 1 or more")
    return int(text)


def clock(text: str) -> tuple[int, int]:
    """Read `HH:MM`, in UTC."""
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text):
        raise ArgumentTypeError("it must be a time such as 03:05")
    return int(text[:2]), int(text[3:])


def following(at: tuple[int, int], moment: datetime) -> datetime:
    """Return the first moment after `moment` at which clocks in UTC show `at`."""
    same_day = moment.replace(hour=at[0], minute=at[1], second=0, microsecond=0)
    return same_day if same_day > moment else same_day + timedelta(days=1)


def kept(folder: Path) -> list[Path]:
    """Return the backups of this command in the folder, the oldest first. Other files are not ours to delete."""
    return sorted(path for path in folder.glob("interrater-*.zip") if NAME.fullmatch(path.name))


def dated_backup(folder: Path, keep: int) -> Path:
    """Make a backup, then delete all but the newest `keep` and what killed ones left; nothing if it fails."""
    path = folder / f"interrater-{timezone.now():%Y-%m-%dT%H%M%SZ}.zip"
    try:
        make_backup(path)
    except BackupRefusedError as problem:
        raise CommandError(str(problem)) from problem
    for old in kept(folder)[:-keep]:
        old.unlink(missing_ok=True)  # another backup may have deleted it
    for partial in folder.glob(f"interrater-*.zip{PARTIAL}"):
        delete_unlocked(partial)
    return path


def delete_unlocked(partial: Path) -> None:
    """Delete a partial file, unless a backup is writing it, which locks it, or it is another user's."""
    try:
        with partial.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            partial.unlink()
    except (BlockingIOError, FileNotFoundError, PermissionError):
        return
