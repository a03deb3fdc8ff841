"""A small file system in memory, to be filled; only root can mount one."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PIECE = b"\0" * 4096


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """Yield a new folder in `folder` that holds no more than `megabytes`."""
    place = folder / "small"
    place.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)]
    subprocess.run(["mount", *options], check=True, capture_output=True, timeout=30)
    try:
        yield place
    finally:
        _unmount(place)
        place.rmdir()


def _unmount(place: Path) -> None:
    for _ in range(50):
        if subprocess.run(["umount", str(place)], check=False, capture_output=True, timeout=30).returncode == 0:
            return
        time.sleep(0.1)
    raise AssertionError(f"{place} is still in use")


def can_mount(folder: Path) -> bool:
    """Return whether this process may mount a file system."""
    try:
        with small_disk(folder, 1):
            return True
    except (subprocess.CalledProcessError, FileNotFoundError):
        (folder / "small").rmdir()
        return False


@contextmanager
def filled(place: Path) -> Iterator[None]:
    """Take all space that is left on the file system of `place`, within the block."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(PIECE) == len(PIECE):
                pass
        except OSError:
            pass
    try:
        yield
    finally:
        filler.unlink()
