"""`python manage.py complete_imports`: complete imports whose process ended before it had written all rows."""

from typing import Any

from django.core.management.base import BaseCommand

from files.reading.stepwise_import import complete_imports


class Command(BaseCommand):
    help = "Complete imports that were cut off. Each start of the site and the workers do this too."
    requires_system_checks: list[str] = []  # runs at every start

    def handle(self, *args: Any, **options: Any) -> None:
        count = complete_imports()
        if count:
            self.stdout.write(f"Completed {count} import{'' if count == 1 else 's'}.")
