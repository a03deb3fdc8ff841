"""What around the program is unsafe or misleading though it works: old databases, network disks, limits per process.

`manage.py check --deploy` prints these warnings, the admin's first page shows them to operators, and in production the
web server logs them when it starts. PostgreSQL before 14 needs no warning: Django refuses to connect to it.
"""

import logging
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import DatabaseError, connection

from config.background.workers import ALIVE
from config.database_clock import database_now
from config.models import Worker

logger = logging.getLogger(__name__)
SAFE_SQLITE = (3, 51, 3)
"""The first version in which two writers at once cannot damage a database with a write-ahead log."""
MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "fuse.ceph-fuse", "fuse.glusterfs", "fuse.s3fs", "fuse.sshfs", "gpfs",
        "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs",
    }
)  # fmt: skip
"""Kinds of file systems on which SQLite's write-ahead log does not work, or locks are not kept."""


def surroundings_warnings() -> list[CheckMessage]:
    """Return what operators should change around the program."""
    return [*_of_sqlite(), *_of_hosts()]


def check_surroundings(**options: Any) -> list[CheckMessage]:
    """The same for `manage.py check --deploy`."""
    return surroundings_warnings()


def log_warnings() -> None:
    """Log the warnings, for who reads the log of a start."""
    for warning in surroundings_warnings():
        logger.warning("%s %s", warning.msg, warning.hint)


def _of_sqlite() -> Iterator[CheckMessage]:
    if connection.vendor != "sqlite":
        return
    if sqlite3.sqlite_version_info < SAFE_SQLITE:
        safe = ".".join(map(str, SAFE_SQLITE))
        yield Warning(
            f"This Python has SQLite {sqlite3.sqlite_version}. Before {safe}, a rare race of two writers can damage a "
            "database that uses a write-ahead log.",
            hint="Use PostgreSQL, or a Python with a newer SQLite; make a backup every day.",
            id="operating.W001",
        )
    kind = file_system_of(Path(connection.settings_dict["NAME"]))
    if kind in NETWORK:
        yield Warning(
            f"The SQLite database lies on a network file system ({kind}), where its write-ahead log does not work.",
            hint="Move VAR to a local disk, or use PostgreSQL.",
            id="operating.W002",
        )


def file_system_of(path: Path) -> str:
    """Return the kind of the file system that a path is on, by the kernel's list of mounts; "" if it has none."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    real, found = path.resolve(), ("", "")
    for line in lines:
        own, _, rest = line.partition(" - ")
        place = own.split(" ")[4].replace("\\040", " ")
        if real.is_relative_to(place) and len(place) >= len(found[0]):  # a later mount hides an earlier one
            found = place, rest.split(" ")[0]
    return found[1]


def _of_hosts() -> Iterator[CheckMessage]:
    try:
        names = Worker.objects.filter(seen_at__gte=database_now() - ALIVE).values_list("name", flat=True)
        hosts = sorted({name.partition(":")[0] for name in names})
    except DatabaseError:  # it has no tables yet, or is away
        return
    if len(hosts) > 1:
        yield Warning(
            f"Workers run on {len(hosts)} hosts ({', '.join(hosts[:5])}). Requests to the API are limited per web "
            "process, and passwords hashed at once per host, so together more are let through. Wrong passwords are "
            "counted in the database, over all hosts.",
            hint="Divide API_REQUESTS_PER_MINUTE by the number of web processes if the sum matters.",
            id="operating.W003",
        )
