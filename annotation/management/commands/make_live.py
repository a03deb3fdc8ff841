"""`python manage.py make_live SLUG`: prepare a study's items and let its annotators begin."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation import running
from annotation.models import Study
from annotation.planning import planning_progress

SECONDS = 5.0


class Command(BaseCommand):
    help = "Prepare a study's items and make it live. A run that was stopped goes on where it was."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study called {options['slug']!r}.")
        while not running.prepare(study, SECONDS):
            done, total = planning_progress(study)
            self.stdout.write(f"{done} of {total} items prepared")
        if study.is_live:
            self.stdout.write("The study is live, and all its items are prepared.")
            return
        try:
            running.make_live(study, None)
        except running.StudyRefusedError as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write("The study is live.")
