"""The study that a command names."""

from django.core.management.base import CommandError
from django.utils.module_loading import import_string

from annotation.models import Study

COMPLETE_IMPORTS = "files.reading.stepwise_import.complete_imports"
"""By name: importing takes long to load, and hardly any command has an import to complete."""


def find_study(slug: str) -> Study:
    """Return the study called `slug`, complete: an import that was cut off is completed first. Raises CommandError."""
    if Study.objects.filter(slug=slug, pending_import__isnull=False).exists():
        import_string(COMPLETE_IMPORTS)(slug)
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study called {slug!r}.")
    return study
