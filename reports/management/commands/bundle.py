"""Write the bundle of a study: report, figures, plots, data, versions and hashes in one file."""

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.management.study_lookup import find_study
from files.writing import ExportRefusedError
from reports.kept.bundle_folder import write_bundle
from reports.kept.zip_archive import zip_folder


class Command(BaseCommand):
    help = "Write a study's report, figures, plots and data into one zip file, which verify_report can check."
    requires_system_checks: list[str] = []  # no page is served

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        if out.exists():
            raise CommandError(f"{out} exists. Choose another name.")
        study = find_study(options["slug"])
        try:
            with TemporaryDirectory(prefix=".bundle-", dir=out.parent) as place:
                folder, part = Path(place) / f"{study.slug}-bundle", Path(place) / "part"
                contents = write_bundle(study, folder)
                sha256 = zip_folder(folder, part)
                part.rename(out)
        except ExportRefusedError as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise CommandError(f"Cannot write {out}: {problem.strerror or problem}.") from None
        self.stdout.write(f"Wrote {out} with {len(contents['files']) + 1} files. SHA-256 {sha256}")
