"""Making a backup for a command: written, timed, and noted as the last one, whether it worked or not."""

import contextlib
import time
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from config.explained_problems import FULL, explain
from operating.backing_up import write_backup
from operating.backup_format import BackupRefusedError, Manifest
from operating.last_backup import note_backup, note_failure

FOLDER = "backups"
"""In VAR: where a migration puts its backups."""


def make_backup(path: Path) -> Manifest:
    """Write a backup to `path`. Raises BackupRefusedError with one sentence for all that can go wrong."""
    began = time.monotonic()
    try:
        manifest = write_backup(path)
    except (BackupRefusedError, DatabaseError, OSError) as problem:
        sentence = _sentence(problem, path)
        with contextlib.suppress(OSError):
            note_failure(sentence)
        raise BackupRefusedError(sentence) from problem
    note_backup(path.absolute(), path.stat().st_size, manifest.rows, time.monotonic() - began)
    return manifest


def backup_before_migration() -> Path:
    """Make a backup in VAR and return its place."""
    folder = Path(settings.VAR) / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"before-migration-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    make_backup(path)
    return path


def _sentence(problem: Exception, path: Path) -> str:
    if isinstance(problem, BackupRefusedError):
        return str(problem)
    if isinstance(problem, OSError) and not any(sign in str(problem) for sign in FULL):
        return f"{problem.filename or path} cannot be written ({problem.strerror}). No backup was made."
    if isinstance(problem, OSError):
        return (
            f"The disk of {path.absolute().parent} is full, so no backup was made. Free some space, or name another "
            "disk."
        )
    return explain(problem)
