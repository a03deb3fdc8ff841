"""The study that a command names."""

from django.core.management.base import CommandError

from annotation.importing.stepwise_import import complete_imports
from annotation.models import Study


def find_study(slug: str) -> Study:
    """Return the study called `slug`, complete: an import that was cut off is completed first. Raises CommandError."""
    complete_imports(slug)
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study called {slug!r}.")
    return study
