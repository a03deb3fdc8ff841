"""Restoring a backup into an empty installation.

The rows are loaded in one transaction into tables of the backup's own schema; migrations to this version follow. Rows
are only inserted, so the triggers that protect evidence are in force all the time. A mark in VAR says from the first
step to the last that the installation is incomplete: nothing else starts then, and the same command begins again.
"""

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DataError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from config.disk_sync import sync
from config.schema_state import mark_of_restore, unknown
from config.snapshot import read_without_mapping
from config.software_version import SOFTWARE_VERSION
from config.triggers import lost_triggers
from operating.backup_format import BackupRefusedError, Manifest, OpenBackup, file_member
from operating.stored_tables import FILLED_BY_MIGRATE, Digest, StoredTable, applied, first_filled, tables_of
from operating.var_files import copied, digest_of, is_allowed

Progress = Callable[[str], None]


def restore_backup(path: Path, progress: Progress) -> Manifest:
    """Restore the backup at `path`. Raises BackupRefusedError, having changed nothing that an empty one does not have.

    Everything in the file is checked before anything is written, and everything in the database before it is committed.
    """
    backup = OpenBackup(path)
    with contextlib.closing(backup):
        manifest = backup.manifest
        _refuse_newer(manifest)
        read_without_mapping()
        _refuse_used(manifest)
        progress(f"Checking {path} ...")
        backup.check_digests()
        _refuse_other_files(manifest)
        _mark(path)
        _make_tables(manifest)
        progress(f"Loading {manifest.rows} rows ...")
        _restore_files(backup)
        _load(backup, progress)
        progress("Finishing ...")
        # This fills what `migrate` fills, and brings an older schema to this version.
        call_command("migrate", interactive=False, verbosity=0, without_backup=True)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
        mark_of_restore().unlink()
    return manifest


def _refuse_newer(manifest: Manifest) -> None:
    newer = sorted(unknown(set(manifest.names)))
    if newer:
        raise BackupRefusedError(
            f"The backup is of version {manifest.software_version}, which has {len(newer)} migrations that version "
            f"{SOFTWARE_VERSION} does not know ({'.'.join(newer[0])}). Restore it with version "
            f"{manifest.software_version} or a later one."
        )


def _refuse_used(manifest: Manifest) -> None:
    """Refuse an installation that has data, or tables of a later schema than the backup's."""
    loader = MigrationLoader(connection)
    there = applied(loader)
    filled = first_filled(tables_of(loader, there).values())
    if filled is not None:
        raise BackupRefusedError(
            f"This installation is not empty: its table {filled} has rows. A backup is restored only into an empty "
            "database. Name a new one (DATABASE_URL; for SQLite, another VAR)."
        )
    later = sorted(set(there) - set(manifest.names))
    if later:
        raise BackupRefusedError(
            f"The database already has tables of a later version than the backup's ({'.'.join(later[0])}). Name a "
            "database without any tables: the restore makes those of the backup, and then migrates them."
        )


def _refuse_other_files(manifest: Manifest) -> None:
    """Refuse to replace files in VAR; a file that an interrupted restore has written is the same."""
    for name, entry in manifest.files.items():
        place = Path(settings.VAR) / name
        if not is_allowed(name):
            raise BackupRefusedError(f"The backup has a file that does not belong into VAR: {name}.")
        if place.exists() and digest_of(place) != entry.sha256:
            raise BackupRefusedError(f"{place} exists and is another file than the backup's. Move it away first.")


def _mark(path: Path) -> None:
    mark = mark_of_restore()
    mark.write_text(json.dumps({"file": str(path.absolute())}), encoding="utf-8")
    sync(mark.parent)


def _make_tables(manifest: Manifest) -> None:
    """Bring an empty database to the backup's schema. An interrupted restore may have made some of the tables."""
    executor = MigrationExecutor(connection)
    names = [name for name in manifest.names if name in executor.loader.graph.nodes]
    executor.migrate(_last_of(executor.loader, names))
    there = set(applied(MigrationLoader(connection)))
    if there != set(names):
        odd = sorted(there ^ set(names))[0]
        raise BackupRefusedError(f"The tables of the backup's version cannot be made here ({'.'.join(odd)}).")


def _last_of(loader: MigrationLoader, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those of the migrations that no other one of them in their app needs."""
    needed = {
        parent.key for name in names for parent in loader.graph.node_map[name].parents if parent.key[0] == name[0]
    }
    return [name for name in names if name not in needed]


def _restore_files(backup: OpenBackup) -> None:
    for name, entry in backup.manifest.files.items():
        place = Path(settings.VAR) / name
        if place.exists():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        partial = place.with_name(place.name + ".restored")
        with backup.archive.open(file_member(name)) as source, partial.open("wb") as target:
            _, sha256 = copied(source, target)
            target.flush()
            os.fsync(target.fileno())
        if sha256 != entry.sha256:
            raise BackupRefusedError(f"{name} changed while it was restored. Try again.")
        partial.rename(place)
        sync(place.parent)


def _load(backup: OpenBackup, progress: Progress) -> None:
    """Load all rows in one transaction, and commit only if the database then returns what the backup has."""
    loader = MigrationLoader(connection)
    tables = tables_of(loader, applied(loader))
    _compare_columns(backup.manifest, tables)
    with transaction.atomic():
        _lock(tables)
        _refuse_used(backup.manifest)
        with connection.cursor() as cursor:
            for name in FILLED_BY_MIGRATE:
                if name in tables:
                    cursor.execute(f'DELETE FROM "{name}"')  # noqa: S608 - names of our own tables
        for name, table in tables.items():
            try:
                table.insert(backup.lines(name))
            except DataError as problem:
                raise BackupRefusedError(
                    f"This database cannot store a row of {name}: {' '.join(str(problem).split())}"
                ) from problem
            entry = backup.manifest.tables[name]
            if entry.last_number is not None:
                table.continue_after(entry.last_number)
        progress("Comparing all rows with the backup ...")
        _compare_rows(backup.manifest, tables)
        lost = lost_triggers(connection)
        if lost:
            raise BackupRefusedError(f"The database lacks the trigger {lost[0]}, so nothing was restored.")


def _lock(tables: Mapping[str, StoredTable]) -> None:
    """Keep all others out. On SQLite the transaction has the one write lock."""
    if connection.vendor == "postgresql":
        names = ", ".join(f'"{name}"' for name in tables)
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")


def _compare_columns(manifest: Manifest, tables: Mapping[str, StoredTable]) -> None:
    given = {name: entry.columns for name, entry in manifest.tables.items()}
    here = {name: table.columns for name, table in tables.items()}
    odd = sorted(set(given) ^ set(here)) or sorted(name for name in here if list(given[name]) != list(here[name]))
    if odd or given != here:
        raise BackupRefusedError(f"The backup's tables are not those of its version: {odd[0] if odd else 'kinds'}.")


def _compare_rows(manifest: Manifest, tables: Mapping[str, StoredTable]) -> None:
    for name, table in tables.items():
        found, entry = Digest().read(table.lines()), manifest.tables[name]
        if (found.rows, found.hex) != (entry.rows, entry.sha256):
            raise BackupRefusedError(f"The database returns other rows of {name} than the backup has: nothing is kept.")
