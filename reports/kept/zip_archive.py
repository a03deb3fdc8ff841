"""One zip archive of a folder, with the same bytes whenever the folder is the same."""

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Any

WHEN = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive."""
CHUNK = 1 << 16


def zip_folder(folder: Path, target: Path) -> str:
    """Write the archive of `folder`, with its own name before each file, and return its SHA-256.

    The memory needed does not depend on the size of the files. Raises OSError.
    """
    with target.open("wb") as made:
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for path in _files(folder):
                entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), WHEN)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
                    while chunk := source.read(CHUNK):
                        packed.write(chunk)
        made.flush()
        os.fsync(made.fileno())
    return file_digest(target)


def file_digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def listed_files(folder: Path) -> list[dict[str, Any]]:
    """The name, bytes and SHA-256 of every file in `folder`, in the order of names."""
    return [
        {"name": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in _files(folder)
    ]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
