"""`python manage.py backup FILE`: everything that a restore needs, in one file, while people work."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operating.backup_format import BackupRefusedError
from operating.making_backups import make_backup


class Command(BaseCommand):
    help = "Write a backup of this installation to a new file, as of one moment, while people work."
    requires_system_checks: list[str] = []  # a backup must work when something else does not

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file to make, such as /backups/2026-03-31.zip")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = make_backup(path)
        except BackupRefusedError as problem:
            raise CommandError(str(problem)) from problem
        files = f" and {len(manifest.files)} files" if manifest.files else ""
        size = path.stat().st_size / 1_000_000
        self.stdout.write(f"{path}: {manifest.rows} rows{files}, {size:.1f} MB.")
        self.stdout.write("Not in it: the signing key, the endpoints file and its keys. Keep those apart from it.")
