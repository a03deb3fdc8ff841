"""Errors that prevent a start. Each message says what is wrong and how to fix it. Standard library only."""

import errno
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
PROBE = 1_000_000


class StopError(Exception):
    """The start cannot continue; the message tells the operator why and what to do."""


def stop(problem: StopError) -> int:
    """Write the problem to standard error; return the exit code."""
    sys.stdout.flush()
    sys.stderr.write(f"{problem}\n")
    return 1


def disk_full(folder: Path) -> StopError:
    """Return the error for a full disk."""
    return StopError(
        f"The disk that holds {folder} is full. Free some space (df -h {shlex.quote(str(folder))} shows how much is "
        "left), then start again."
    )


def file_problem(folder: Path, problem: OSError) -> StopError:
    """Return the error for a folder that cannot be created or written."""
    if problem.errno in FULL:
        return disk_full(folder)
    if problem.errno in (errno.EEXIST, errno.ENOTDIR):
        return StopError(
            f"{folder} cannot be created, because a file is in the way. Name another folder: "
            'VAR="$HOME/interrater" make run'
        )
    return StopError(
        f"{folder} cannot be written ({problem.strerror}). Make it yours with "
        f'sudo chown -R "$(id -un)" {shlex.quote(str(folder))}, or name another folder: '
        'VAR="$HOME/interrater" make run'
    )


def need_room(folder: Path, megabytes: int) -> None:
    """Raise StopError if the disk of `folder` has less than `megabytes` free."""
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < megabytes:
        raise StopError(
            f"The disk that holds {folder} is full: {free} MB are free, but {megabytes} MB are needed. Free some space "
            f"(df -h {shlex.quote(str(folder))} shows how much is left), then start again."
        )


def need_writable(folder: Path) -> None:
    """Create `folder` if it is missing and write a test file to it; raise StopError if either fails."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * PROBE)
            file.flush()
    except OSError as problem:
        raise file_problem(folder, problem) from problem
