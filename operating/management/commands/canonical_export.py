"""`python manage.py canonical_export`: a digest of all research data, to compare two installations."""

import hashlib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.snapshot import read_without_mapping, snapshot
from operating.canonical_rows import canonical_digest, canonical_lines


class Command(BaseCommand):
    help = "Print the SHA-256 of all research data, or write its sorted lines to a file."
    requires_system_checks: list[str] = []  # they load every page, and this reads tables only

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", help="write the lines here, too")

    def handle(self, *args: Any, **options: Any) -> None:
        read_without_mapping()
        with snapshot():
            rows, digest = canonical_digest() if options["file"] is None else self._written(options["file"])
        self.stdout.write(f"{digest}  {rows} rows")

    def _written(self, path: Path) -> tuple[int, str]:
        digest, rows = hashlib.sha256(), 0
        try:
            with path.open("xb") as file:
                for line in canonical_lines():
                    file.write(line)
                    digest.update(line)
                    rows += 1
        except FileExistsError:
            raise CommandError(f"{path} exists already. Choose another name.") from None
        return rows, digest.hexdigest()
