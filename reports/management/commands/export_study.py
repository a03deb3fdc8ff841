"""Export a study as a folder of files, described in docs/formats.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.snapshot import read_without_mapping
from files.management.study_lookup import find_study
from files.writing import FORMATS, ExportRefusedError, export_study
from reports.kept.figure_files import export_with_figures


class Command(BaseCommand):
    # Checks would load every page and protocol with their libraries, which takes as long as a small export.
    requires_system_checks = ()
    help = "Export a study as a folder of files that import_study can read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        parser.add_argument("--format", choices=FORMATS, default=FORMATS[0])
        parser.add_argument(
            "--data-only", action="store_true", help="leave out derived tables and reports, which may take minutes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        read_without_mapping()
        study = find_study(options["slug"])
        try:
            export = export_study if options["data_only"] else export_with_figures
            manifest = export(study, options["out"], options["format"])
        except ExportRefusedError as problem:
            raise CommandError(str(problem)) from None
        counts = manifest["counts"]
        self.stdout.write(
            f"Exported {counts['items']} items, {counts['ratings']} ratings, {counts['scores']} scores and "
            f"{counts['annotations']['all']} annotations to {options['out']}."
        )
