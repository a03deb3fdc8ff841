"""`python manage.py sample_turns SLUG`: have a sample of a session study's rated turns rated again, blind."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.models import Study
from sessions.second import SampleRefusedError, sample_turns


class Command(BaseCommand):
    help = "Open places for second raters on a sample of the rated turns of sessions that are over."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--share", type=float, help="which share of the turns; the study's option where absent")
        parser.add_argument("--count", type=int, help="how many turns, instead of a share")
        parser.add_argument("--raters", type=int, help="how many second raters a turn")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study called {options['slug']!r}.")
        own = study.option("second_ratings", {})
        share, count = options["share"], options["count"]
        if share is None and count is None:
            share, count = own.get("share"), own.get("count")
        raters = options["raters"] or own.get("raters", 1)
        try:
            sample = sample_turns(study, share=share, count=count, seed=options["seed"], raters=raters)
        except SampleRefusedError as problem:
            raise CommandError(str(problem)) from None
        self.stdout.write(f"{sample.turns} of {sample.of} rated turns are sampled; {sample.opened} places were opened.")
