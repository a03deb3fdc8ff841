"""`python manage.py erase_rater SLUG RATER --answers erase --confirm`: erase a rater who withdraws from a study."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts.audited_erasure import ErasureRefusedError
from annotation.members.membership import MembershipRefusedError
from annotation.members.rater_erasure import erase_rater
from annotation.models import Rater
from config.models import Erasure


class Command(BaseCommand):
    help = "Erase a rater from a study. Without --confirm, only show what would be erased."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("rater", help="the rater's name in the study's files, such as rater-abcdefgh")
        parser.add_argument(
            "--answers", choices=["erase", "keep"], required=True,
            help="erase the answers too, or keep them with nothing that identifies the person",
        )  # fmt: skip
        parser.add_argument("--confirm", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        rater = Rater.objects.filter(study__slug=options["slug"], name=options["rater"]).first()
        if rater is None:
            raise CommandError(f"The study {options['slug']!r} has no rater called {options['rater']!r}.")
        try:
            with transaction.atomic():
                account = erase_rater(rater, None, keep_answers=options["answers"] == "keep")
                counts = Erasure.objects.latest("pk").counts
                transaction.set_rollback(not options["confirm"])
        except (ErasureRefusedError, MembershipRefusedError) as problem:
            raise CommandError(str(problem)) from problem
        for name, count in counts.items():
            self.stdout.write(f"{count:>10,} {name}")
        if not options["confirm"]:
            raise CommandError("Nothing was erased. To erase this, add --confirm. It cannot be undone.")
        self.stdout.write(
            "The account was erased too: it belonged to no other study." if account else "The account was not erased."
        )
