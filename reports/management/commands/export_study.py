"""Export a study as a folder of files: see docs/formats.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError

from annotation.models import Study
from reports.exporting import FORMATS, ExportRefusedError, export_study

LATER = ("parquet",)


class Command(BaseCommand):
    # The checks of addresses load every page with its libraries, which takes as long as a small study and more memory.
    requires_system_checks = [Tags.models]
    help = "Write a study as a folder of files, which can be imported again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        parser.add_argument("--format", choices=(*FORMATS, *LATER), default=FORMATS[0])

    def handle(self, *args: Any, **options: Any) -> None:
        if options["format"] in LATER:
            raise CommandError(f"This version does not write {options['format']}: choose {' or '.join(FORMATS)}.")
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study called {options['slug']!r}.")
        try:
            manifest = export_study(study, options["out"], options["format"])
        except ExportRefusedError as problem:
            raise CommandError(str(problem)) from None
        counts = manifest["counts"]
        self.stdout.write(
            f"Wrote {counts['items']} items, {counts['ratings']} ratings, {counts['scores']} scores and "
            f"{counts['annotations']['all']} annotations to {options['out']}."
        )
