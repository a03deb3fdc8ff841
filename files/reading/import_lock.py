"""A lock that allows one import into a study at a time. If its process is killed, the lock is free at once."""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import connection

from files.import_problems import ImportProblem, ImportRefusedError

LONGEST_WAIT = 20.0
EVERY = 0.05
IMPORTS = 0x696D70
"""The first half of PostgreSQL's advisory locks for imports; the second is a hash of the study's slug."""
UNDER_WAY = "another import into this study is running: try again when it has ended"


class ImportUnderWayError(ImportRefusedError):
    """Another import into the study is running, for longer than somebody should wait."""


@contextmanager
def import_lock(slug: str, longest: float | None = None) -> Iterator[None]:
    """Hold the lock on imports into the study called `slug`.

    Waits for a running import. Raises ImportUnderWayError if that takes longer than `longest` seconds. It is not a row
    lock, so people can work in the study meanwhile.
    """
    wait = LONGEST_WAIT if longest is None else longest
    with _advisory_lock(slug, wait) if connection.vendor == "postgresql" else _file_lock(slug, wait):
        yield


def _wait_for(take: Callable[[], bool], slug: str, longest: float) -> None:
    until = time.monotonic() + longest
    while not take():
        if time.monotonic() > until:
            raise ImportUnderWayError([ImportProblem(slug, 0, "", UNDER_WAY)])
        time.sleep(EVERY)


@contextmanager
def _advisory_lock(slug: str, longest: float) -> Iterator[None]:
    def take() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [IMPORTS, slug])
            return bool(cursor.fetchone()[0])

    _wait_for(take, slug, longest)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [IMPORTS, slug])


@contextmanager
def _file_lock(slug: str, longest: float) -> Iterator[None]:
    """Lock a file next to the database: with SQLite all processes are on one machine."""
    folder = Path(f"{connection.settings_dict['NAME']}-imports")
    folder.mkdir(mode=0o750, exist_ok=True)
    with (folder / slug).open("w") as file:

        def take() -> bool:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            return False

        _wait_for(take, slug, longest)
        yield
