"""Putting an exported folder in its place, completely or not at all."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.disk_sync import sync

MANIFEST = "manifest.json"
SCHEMA = "interrater-study/1"


class ExportRefusedError(Exception):
    """An export that cannot be written at the given place; the message says why and what to do."""


@contextmanager
def placed(out: Path) -> Iterator[Path]:
    """A new folder to write into, which becomes `out` at the end and replaces an earlier export there.

    Raises ExportRefusedError if `out` is anything else. An error inside leaves `out` unchanged.
    """
    try:
        out = Path(os.path.abspath(out))
        check_place(out)
        part = out.with_name(f".{out.name}.{secrets.token_hex(4)}.part")
        out.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir()
    except (OSError, ValueError) as problem:
        raise ExportRefusedError(f"Cannot write to {str(out)!r}: {_reason(problem)}.") from None
    try:
        yield part
        _settle(part)
        _replace(part, out)
    except OSError as problem:
        raise ExportRefusedError(f"Could not write the export: {_reason(problem)}.") from problem
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem)


def check_place(out: Path) -> None:
    """Raise ExportRefusedError unless `out` is free, empty, or an earlier export without other files."""
    if not out.name:
        raise ExportRefusedError(f"{out} does not name a folder.")
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise ExportRefusedError(f"{out} exists and is not a folder. Choose another name.")
    if not out.exists() or not any(out.iterdir()):
        return
    try:
        manifest = json.loads((out / MANIFEST).read_bytes())
        known = {MANIFEST, *manifest["files"], *manifest.get("copies", ())} if manifest["schema"] == SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError):
        known = None
    if known is None:
        raise ExportRefusedError(f"{out} contains other files. Choose a new or empty folder.")
    more = sorted(
        name for path in out.rglob("*") if not path.is_dir() and (name := str(path.relative_to(out))) not in known
    )
    if more:
        raise ExportRefusedError(f"{out} contains {more[0]!r}, which is not part of the export there. Move it first.")


def _settle(folder: Path) -> None:
    """Sync everything in the folder to disk before it gets its name."""
    for path in [*folder.rglob("*"), folder]:
        sync(path)


def _replace(part: Path, out: Path) -> None:
    if not out.exists() or not any(out.iterdir()):
        os.replace(part, out)
    else:
        old = part.with_suffix(".old")
        os.replace(out, old)
        try:
            os.replace(part, out)
        except OSError:
            os.replace(old, out)
            raise
        shutil.rmtree(old, ignore_errors=True)
    sync(out.parent)
