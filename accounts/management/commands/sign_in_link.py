"""`python manage.py sign_in_link USER`: a link that signs somebody in once, for who has lost a password."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Person
from accounts.signing_in import issue_link


class Command(BaseCommand):
    help = "Print a path that signs a person in once, within --hours (24)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--hours", type=float, default=24)

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.filter(username=options["username"], is_active=True).first()
        if person is None:
            raise CommandError(f"There is no active person called {options['username']!r}.")
        self.stdout.write(issue_link(person, options["hours"]))
