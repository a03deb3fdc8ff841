"""`python manage.py erase_study SLUG --confirm SLUG`: delete a study and everything in it."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.audited_erasure import ErasureRefusedError
from annotation.models import Study, StudyDeletion
from annotation.studies.stepwise_erasure import goes_in_steps
from annotation.studies.study_deletion import WORK_KEY, delete_study
from annotation.studies.study_erasure import erase_study, rows_of
from config.background.claiming import process_row
from config.background.rows import Status

WAIT = 0.5
"""Seconds between two looks at a deletion that a worker has."""


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
            if goes_in_steps():
                _finish(delete_study(study, None))
            else:
                erase_study(study, None)
        except ErasureRefusedError as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"The study {slug} was erased. Backups and exported folders may still contain it.")


def _finish(row: StudyDeletion | None) -> None:
    """Process the deletion of a large study here, unless a worker does; after a kill, workers continue it."""
    while row is not None and row.is_waiting:
        if not process_row(WORK_KEY, row.pk):
            time.sleep(WAIT)
        row.refresh_from_db()
    if row is not None and row.status != Status.DONE:
        raise CommandError(row.reason)
