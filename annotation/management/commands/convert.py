"""Convert files of another annotation tool into a folder that import_study reads: see docs/formats.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.importing import ImportRefusedError
from annotation.importing.other_tools import other_tools
from annotation.importing.other_tools.converting import converted, write_conversion
from annotation.importing.other_tools.field_roles import FieldRoles


class Command(BaseCommand):
    help = "Convert files of another annotation tool into a folder that import_study reads. Nothing is imported."
    requires_system_checks: list[str] = []  # no database is read

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tool", choices=sorted(other_tools()))
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
        parser.add_argument("--study", type=Path, metavar="FILE", help="a study file whose questions were asked")
        parser.add_argument("--slug", help="the study's name (default: that of the folder)")
        parser.add_argument("--instruction", metavar="FIELD", help="the field with the instruction")
        parser.add_argument("--document", metavar="FIELD", help="the field with the document")
        parser.add_argument("--outputs", nargs="+", default=[], metavar="FIELD", help="the fields that are judged")

    def handle(self, *args: Any, **options: Any) -> None:
        roles = FieldRoles(options["instruction"], options["document"], tuple(options["outputs"]))
        out: Path = options["out"]
        try:
            done = converted(
                other_tools()[options["tool"]], options["files"], options["slug"] or out.absolute().name, roles,
                options["study"],
            )  # fmt: skip
            write_conversion(done, out)
        except ImportRefusedError as refused:
            more = [f"and {refused.more} more"] if refused.more else []
            raise CommandError("\n".join([*map(str, refused.problems), *more, "Nothing was written."])) from None
        for sentence in done.summary:
            self.stdout.write(sentence)
        self.stdout.write(f"Look at {out / next(iter(done.files))}, then: manage.py import_study {out}")
