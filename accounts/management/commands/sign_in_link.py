"""`python manage.py sign_in_link USER`: make a sign-in link for somebody who has lost their password."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Person
from accounts.sign_in_links import NobodyError, issue_link, open_links, revoke_links

TIME = "%Y-%m-%d %H:%M"


class Command(BaseCommand):
    help = "Print the path of a new link that signs a person in once, or list or revoke the links that still work."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--hours", type=float, default=24, help="how long the new link works (default: 24)")
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--list", action="store_true", help="make no link; list this person's links that still work"
        )
        instead.add_argument(
            "--revoke", action="store_true", help="make no link; revoke this person's links that still work"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.named(options["username"])
        if person is None or not (person.is_active or options["list"] or options["revoke"]):
            raise CommandError(f"There is no active person called {options['username']!r}.")
        if options["list"]:
            for link in open_links().filter(person=person).order_by("pk"):
                if link.fits_person:
                    self.stdout.write(f"created {link.created_at:{TIME}} UTC, works until {link.expires_at:{TIME}} UTC")
        elif options["revoke"]:
            self.stdout.write(f"Links revoked: {revoke_links(person, None)}")
        else:
            try:
                self.stdout.write(issue_link(person, options["hours"]))
            except NobodyError as problem:
                raise CommandError(str(problem)) from None
