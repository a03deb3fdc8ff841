"""Writing a backup: one moment of the database and the files that it refers to, in one file, in constant memory.

The archive is written beside its final place under a name that ends in `.partial`, forced to the disk, and then gets
its name. So a file with the final name is always whole, and a kill leaves only a partial file, which the next backup
to the same place writes again.
"""

import fcntl
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from config.disk_sync import sync
from config.environment import own_variables
from config.schema_state import NEWER, unknown
from config.snapshot import read_without_mapping, snapshot
from config.software_version import SOFTWARE_VERSION
from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import endpoints
from operating.backup_format import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    BackupRefusedError,
    FileEntry,
    Manifest,
    TableEntry,
    file_member,
    table_member,
)
from operating.stored_tables import Digest, StoredTable, applied, tables_of
from operating.var_files import copied, kept_files

PARTIAL = ".partial"
COMPRESSION = 4
"""Of 9: the higher levels take twice the time and save a twentieth of the size."""


def write_backup(path: Path) -> Manifest:
    """Write a backup to `path` and return what is in it. Raises BackupRefusedError, and OSError if the disk is full."""
    path = path.absolute()
    if not path.parent.is_dir():
        raise BackupRefusedError(f"The folder {path.parent} does not exist. Make it first, or choose another.")
    if os.path.lexists(path):
        raise BackupRefusedError(f"{path} exists already, and a backup never replaces a file. Choose another name.")
    partial = path.with_name(path.name + PARTIAL)
    with _opened(partial) as file:
        try:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
                manifest = _write(archive)
                archive.writestr(MANIFEST, manifest.written())
            file.flush()
            os.fsync(file.fileno())
            _give_name(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    sync(path.parent)
    return manifest


@contextmanager
def _opened(partial: Path) -> Iterator[IO[bytes]]:
    """Open the partial file, which only its owner can read, for this process alone."""
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "w+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupRefusedError(f"Another backup is writing {partial}. Wait for its end.") from None
        file.truncate()
        yield file


def _give_name(partial: Path, path: Path) -> None:
    """Give the finished file its name; a file that has come there meanwhile is not replaced."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise BackupRefusedError(f"{path} exists already. Choose another name.") from None
    except OSError:  # a file system without links
        os.rename(partial, path)


def _write(archive: zipfile.ZipFile) -> Manifest:
    """Write tables and files as of now, and return the manifest."""
    read_without_mapping()
    with snapshot():
        loader = MigrationLoader(connection)
        newer = unknown({name for name in loader.applied_migrations if name[0] in loader.migrated_apps})
        if newer:
            raise BackupRefusedError(NEWER.format(version=SOFTWARE_VERSION, count=len(newer), names=min(newer)[1]))
        made_at = timezone.now()
        names = applied(loader)
        if not names:
            raise BackupRefusedError("The database has no tables yet, so there is nothing to back up.")
        tables = {name: _write_table(archive, table) for name, table in tables_of(loader, names).items()}
    files, removed = _write_files(archive)
    path, keys = _endpoints()
    return Manifest(
        format=FORMAT, format_version=FORMAT_VERSION, software_version=SOFTWARE_VERSION,
        made_at=made_at.isoformat(timespec="seconds"), database=connection.vendor,
        migrations=[list(name) for name in names], tables=tables, files=files, removed_files=removed,
        settings=sorted(own_variables() & os.environ.keys()), endpoints_file=path, key_variables=keys,
    )  # fmt: skip


def _write_table(archive: zipfile.ZipFile, table: StoredTable) -> TableEntry:
    digest = Digest()
    with archive.open(table_member(table.name), "w", force_zip64=True) as member:
        for line in digest.counted(table.lines()):
            member.write(line)
    last = table.last_number() if table.is_numbered else None
    return TableEntry(columns=table.columns, rows=digest.rows, sha256=digest.hex, last_number=last)


def _write_files(archive: zipfile.ZipFile) -> tuple[dict[str, FileEntry], list[str]]:
    """Copy the files of VAR; also return those that were deleted meanwhile."""
    files: dict[str, FileEntry] = {}
    removed = []
    for name in kept_files():
        try:
            with (Path(settings.VAR) / name).open("rb") as source:
                longest = os.fstat(source.fileno()).st_size  # an upload may grow meanwhile
                about = zipfile.ZipInfo(file_member(name))
                about.compress_type = zipfile.ZIP_STORED if name.endswith(".zip") else zipfile.ZIP_DEFLATED
                with archive.open(about, "w", force_zip64=True) as member:
                    size, sha256 = copied(source, member, longest)
        except FileNotFoundError:
            removed.append(name)
            continue
        files[name] = FileEntry(size=size, sha256=sha256)
    return files, removed


def _endpoints() -> tuple[str, list[str]]:
    """The path of the endpoints file, and the names of the variables with keys."""
    try:
        keys = sorted({endpoint.key_name for endpoint in endpoints().values() if endpoint.key_name})
    except EndpointsInvalidError:
        keys = []
    return str(settings.ENDPOINTS_FILE), keys
