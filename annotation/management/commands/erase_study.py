"""`python manage.py erase_study SLUG --confirm SLUG`: delete a study and everything in it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.audited_erasure import ErasureRefusedError
from annotation.models import Study
from annotation.studies.study_erasure import erase_study, rows_of


class Command(BaseCommand):
    help = (
        "Delete a study with all answers, calls, files and audit entries. Without --confirm, only show what would go."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--confirm", metavar="SLUG", help="repeat the study's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        study = Study.objects.filter(slug=slug).first()
        if study is None:
            raise CommandError(f"There is no study called {slug!r}.")
        if options["confirm"] != slug:
            for name, count in rows_of(study).items():
                self.stdout.write(f"{count:>10,} {name}")
            raise CommandError(f"Nothing was erased. To erase this study, add --confirm {slug}. It cannot be undone.")
        try:
            erase_study(study, None)
        except ErasureRefusedError as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"The study {slug} was erased. Backups and exported folders may still contain it.")
