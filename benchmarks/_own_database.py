"""A database of its own for a benchmark that runs in one process."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


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


def fill_table(model: Any, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert the rows of one table and commit them, so that SQLite's log of writes holds one table at most."""
    from django.db import transaction

    from config.bulk_insert import insert_rows

    with transaction.atomic():
        insert_rows(model, columns, rows)
