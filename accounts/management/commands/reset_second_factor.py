"""`python manage.py reset_second_factor USER`: for somebody who has lost their phone and their recovery codes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Person
from accounts.second_factor import reset_second_factor


class Command(BaseCommand):
    help = "Remove a person's second factor and end their sessions, so that their password alone signs them in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        person = Person.objects.named(options["username"])
        if person is None or not reset_second_factor(person, None):
            raise CommandError(f"There is no person called {options['username']!r} with a second factor.")
        self.stdout.write("Removed. They can set up a new one under My settings.")
