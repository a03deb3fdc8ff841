"""A database of its own for a benchmark that runs in one process."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def own_database(url: str | None) -> Iterator[Path]:
    """Set Django up on the empty database at `url`, or on a SQLite file; give the temporary folder of its data."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DATABASE_URL"] = url or f"sqlite:///{folder}/bench.sqlite3"
        os.environ["VAR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        yield Path(folder)
