"""`python manage.py release_batch SLUG`: give annotators the next batch of a study's items."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.review.spot_checks import sample, unfinished
from annotation.studies.batches import BatchRefusedError, release_next, released
from files.management.study_lookup import find_study


class Command(BaseCommand):
    help = "Release a study's next batch. Refused while answers or spot checks of the current batch are open."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--anyway", action="store_true", help="release it even if answers or spot checks are open")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        last = max(released(study) - 1, 0)
        left = unfinished(study, last, sample(study, last))
        try:
            batch = release_next(study, None, unfinished=left, anyway=options["anyway"])
        except BatchRefusedError as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"Batch {batch.number + 1} of {study.slug} was released.")
