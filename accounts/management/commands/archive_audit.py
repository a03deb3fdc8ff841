"""`python manage.py archive_audit --before DATE FILE`: move old audit entries from the database to a file.

`--study SLUG` moves those of one study; with `--keep NUMBER` instead of a date, all but its newest ones.
"""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.audit_archive import ArchiveUnconfirmedError, archive_audit, newest_kept
from accounts.audited_erasure import ErasureRefusedError


class Command(BaseCommand):
    help = "Move old audit entries to a new file, with one JSON object per line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--study", metavar="SLUG", help="only the entries of this study, which may be deleted")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--before", type=date.fromisoformat, help="a date in UTC, such as 2026-01-31")
        what.add_argument("--keep", type=int, metavar="NUMBER", help="with --study: all but so many newest entries")

    def handle(self, *args: Any, **options: Any) -> None:
        study, keep = options["study"], options["keep"]
        if keep is None:
            before = datetime.combine(options["before"], time(), UTC)
        elif not study or keep < 1:
            raise CommandError("--keep needs --study and a number of 1 or more.")
        elif (newest := newest_kept(study, keep)) is None:
            self.stdout.write(f"{study} has at most {keep} entries. Nothing was moved.")
            return
        else:
            before = newest
        try:
            count = archive_audit(before, options["file"].absolute(), None, study=study)
        except (ErasureRefusedError, ArchiveUnconfirmedError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"{count} entries were moved to {options['file']}. Keep the file with your backups.")
