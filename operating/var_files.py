"""The files in VAR that a backup has: what the database refers to and cannot make again.

Apps name their folders (`Part.var_folders`). Files are copied after the rows: an entry of the audit that is archived
meanwhile is in both, and none is in neither. Search indexes are built again when they are needed, models can be
downloaded again, and messages of the broker only wake workers. The signing key and the file of endpoints are secrets
or describe this machine: they are named and not copied.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings

from config.parts import parts

PIECE = 1024 * 1024


@cache
def folders() -> Mapping[str, re.Pattern[str]]:
    """Return the folders, and which of their files are finished."""
    return {name: re.compile(f"{name}/{files}") for part in parts() for name, files in part.var_folders.items()}


def kept_files() -> Iterator[str]:
    """Yield the paths, relative to VAR, of the files that belong in a backup."""
    top = Path(settings.VAR)
    for folder, finished in sorted(folders().items()):
        for path in sorted((top / folder).rglob("*")):
            name = path.relative_to(top).as_posix()
            if path.is_file() and not path.is_symlink() and finished.fullmatch(name):
                yield name


def is_allowed(name: str) -> bool:
    """Whether a restore may write a file of this name in VAR."""
    return ".." not in PurePosixPath(name).parts and any(pattern.fullmatch(name) for pattern in folders().values())


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copied(source: IO[bytes], target: IO[bytes], longest: int | None = None) -> tuple[int, str]:
    """Copy at most `longest` bytes; return how many there were and their SHA-256."""
    size, digest = 0, hashlib.sha256()
    while piece := source.read(PIECE if longest is None else min(PIECE, longest - size)):
        target.write(piece)
        digest.update(piece)
        size += len(piece)
    return size, digest.hexdigest()
