"""`python manage.py sample_turns SLUG`: open a sample of a session study's turns to blind second raters."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from files.management.study_lookup import find_study
from sessions.second_ratings import SampleRefusedError, sample_turns


class Command(BaseCommand):
    help = "Open places for second raters on a sample of the rated turns of ended sessions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--share", type=float, help="share of the turns; by default the study's option")
        parser.add_argument("--count", type=int, help="number of turns, instead of a share")
        parser.add_argument(
            "--raters", type=int, help="number of second raters per turn; by default the study's option, or 1"
        )
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        own = study.options.get("second_ratings", {})
        share, count = options["share"], options["count"]
        if share is None and count is None:
            share, count = own.get("share"), own.get("count")
        raters = options["raters"] or own.get("raters", 1)
        try:
            sample = sample_turns(study, share=share, count=count, seed=options["seed"], raters=raters)
        except SampleRefusedError as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(
            f"{sample.turns} of {sample.of} rated turns are in the sample. {sample.opened} places were opened."
        )
