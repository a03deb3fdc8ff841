"""Check a bundle: every hash, and every figure computed again from the data in it."""

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from reports.kept.bundle_checking import BundleUnreadableError, compare, recompute, unpack


class Command(BaseCommand):
    help = "Check a bundle: the hash of every file, and every figure, computed again from the data in the bundle."
    requires_system_checks: list[str] = []  # it uses no database but one of its own

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundle", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with TemporaryDirectory(prefix="interrater-verify-") as place:
                folder, work = Path(place) / "bundle", Path(place) / "work"
                work.mkdir()
                hashes = unpack(options["bundle"], folder)
                count, figures = compare(folder, recompute(folder, work))
        except BundleUnreadableError as problem:
            raise CommandError(str(problem)) from None
        for one in (*hashes, *figures):
            self.stdout.write(f"{one.name}\n  stated      {one.stated}\n  recomputed  {one.found}")
        if hashes or figures:
            files, values = len(hashes), len(figures)
            raise CommandError(f"Not verified: {files} files differ from their hash, {values} figures from the data.")
        self.stdout.write(f"Verified: all hashes, and {count} figures computed again from the data.")
