"""`python manage.py restore FILE`: a backup into an empty installation."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operating.backup_format import BackupRefusedError
from operating.restoring import restore_backup


class Command(BaseCommand):
    help = "Restore a backup into an empty installation, on the kind of database that DATABASE_URL names."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            manifest = restore_backup(options["file"], self.stdout.write)
        except BackupRefusedError as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(
            f"Restored {manifest.rows} rows and {len(manifest.files)} files, as they were at {manifest.made_at}. "
            "All of them are what the backup has."
        )
        if manifest.key_variables:
            self.stdout.write(f"Set the keys of endpoints: {', '.join(manifest.key_variables)}.")
