"""`python manage.py make_live SLUG`: prepare a study's items and open it to its annotators."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.studies import lifecycle
from annotation.studies.live_checks import live_problems
from annotation.studies.planning import planning_progress
from files.management.study_lookup import find_study

SECONDS = 5.0


class Command(BaseCommand):
    help = "Prepare a study's items and make it live. A run that was stopped continues where it ended."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        problems = [] if study.is_live else live_problems(study)
        for one in problems:
            if not one.blocks:
                self.stderr.write(f"Worth a look: {one.text}")
        if blocking := [one.text for one in problems if one.blocks]:
            raise CommandError("\n".join(["The study cannot go live.", *(f"  {text}" for text in blocking)]))
        while not lifecycle.prepare(study, SECONDS):
            done, total = planning_progress(study)
            self.stdout.write(f"{done} of {total} items prepared")
        if study.is_live:
            self.stdout.write("The study is live, and all its items are prepared.")
            return
        try:
            lifecycle.make_live(study, None)
        except lifecycle.StudyRefusedError as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write("The study is live.")
