"""`python manage.py archive_audit --before DATE FILE`: move old audit entries from the database to a file."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.audit_archive import ArchiveUnconfirmedError, archive_audit
from accounts.audited_erasure import ErasureRefusedError


class Command(BaseCommand):
    help = "Move the audit entries from before a date to a new file, with one JSON object per line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--before", type=date.fromisoformat, required=True, help="a date in UTC, such as 2026-01-31"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        before = datetime.combine(options["before"], time(), UTC)
        try:
            count = archive_audit(before, options["file"].absolute(), None)
        except (ErasureRefusedError, ArchiveUnconfirmedError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"{count} entries were moved to {options['file']}. Keep the file with your backups.")
