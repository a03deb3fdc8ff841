"""The file of a backup: a ZIP archive of `manifest.json`, `tables/<name>.jsonl` and `files/<path in VAR>`."""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from config.outside_requests import outside_of_requests
from config.software_version import SOFTWARE_VERSION
from config.strict_models import StrictModel
from operating.stored_tables import Digest

FORMAT: Literal["interrater-backup"] = "interrater-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
LARGEST_MANIFEST = 64 * 1024 * 1024
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class BackupRefusedError(Exception):
    """The backup cannot be made or restored; the message says why and what to do."""


class TableEntry(StrictModel):
    """One table in the archive: its columns with their kinds, and what its lines must be."""

    columns: dict[str, str]
    rows: int
    sha256: Sha256
    last_number: int | None
    """The highest number that was given to a row; None if the table's rows are not numbered."""


class FileEntry(StrictModel):
    """One file of VAR in the archive."""

    size: int
    sha256: Sha256


class Manifest(StrictModel):
    """What the archive contains, and of what version it is."""

    format: Literal["interrater-backup"]
    format_version: int
    software_version: str
    made_at: str
    database: str
    migrations: list[list[str]]
    tables: dict[str, TableEntry]
    files: dict[str, FileEntry]
    removed_files: list[str]
    """Files that were deleted while the backup was made, after its moment."""
    settings: list[str]
    """Names of the settings that were given; no values."""
    endpoints_file: str
    key_variables: list[str]
    """Names of the environment variables with keys of endpoints; no values."""

    @property
    def names(self) -> list[tuple[str, str]]:
        """The migrations as pairs."""
        return [(app, name) for app, name in self.migrations]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())

    def written(self) -> bytes:
        return json.dumps(self.model_dump(), ensure_ascii=False, indent=1).encode() + b"\n"


def table_member(name: str) -> str:
    return f"tables/{name}.jsonl"


def file_member(name: str) -> str:
    return f"files/{name}"


class OpenBackup:
    """A backup that is read. Raises BackupRefusedError for a file that is none, or is damaged or of a later format."""

    @outside_of_requests
    def __init__(self, path: Path) -> None:
        try:
            self.archive = zipfile.ZipFile(path)
        except FileNotFoundError:
            raise BackupRefusedError(f"{path} does not exist.") from None
        except zipfile.BadZipFile:
            raise BackupRefusedError(f"{path} is not a backup, or only a part of one.") from None
        self.path = path
        self.manifest = self._read_manifest()

    def _read_manifest(self) -> Manifest:
        try:
            with self.archive.open(MANIFEST) as file:
                given = json.loads(file.read(LARGEST_MANIFEST))
        except (KeyError, ValueError, zipfile.BadZipFile):
            raise BackupRefusedError(f"{self.path} is not a backup: it has no readable {MANIFEST}.") from None
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise BackupRefusedError(f"{self.path} is not a backup of Interrater.")
        if given.get("format_version") != FORMAT_VERSION:
            raise BackupRefusedError(
                f"{self.path} has format {given.get('format_version')}, and version {SOFTWARE_VERSION} reads format "
                f"{FORMAT_VERSION}. Restore it with version {given.get('software_version')} or a later one."
            )
        try:
            manifest = Manifest.model_validate(given)
        except ValidationError as problem:
            raise BackupRefusedError(f"{self.path} has a manifest that cannot be read: {_first(problem)}") from None
        if any(len(pair) != 2 for pair in manifest.migrations) or not all(map(_is_plain, manifest.tables)):
            raise BackupRefusedError(f"{self.path} has a manifest that cannot be read.")
        return manifest

    def lines(self, table: str) -> Iterator[bytes]:
        """Yield the lines of a table."""
        with self.archive.open(table_member(table)) as file:
            yield from file

    def check_digests(self) -> None:
        """Read everything once; raise BackupRefusedError for what is missing or differs from the manifest."""
        for name, table in self.manifest.tables.items():
            try:
                found = Digest().read(self.lines(name))
            except (KeyError, zipfile.BadZipFile, EOFError) as problem:
                raise BackupRefusedError(f"{self.path} is damaged: {table_member(name)} ({problem}).") from problem
            if (found.rows, found.hex) != (table.rows, table.sha256):
                raise BackupRefusedError(f"{self.path} is damaged: {table_member(name)} is not what the manifest says.")
        for name, entry in self.manifest.files.items():
            try:
                with self.archive.open(file_member(name)) as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
            except (KeyError, zipfile.BadZipFile, EOFError) as problem:
                raise BackupRefusedError(f"{self.path} is damaged: {file_member(name)} ({problem}).") from problem
            if digest != entry.sha256:
                raise BackupRefusedError(f"{self.path} is damaged: {file_member(name)} is not what the manifest says.")

    def close(self) -> None:
        self.archive.close()


def _is_plain(table: str) -> bool:
    return bool(re.fullmatch(r"\w{1,63}", table))


def _first(problem: ValidationError) -> str:
    error = problem.errors()[0]
    return f"{'.'.join(map(str, error['loc']))}: {error['msg']}."
