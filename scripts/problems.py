"""What stops a start, said in one sentence with the command that mends it. Standard library only."""

import errno
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

FULL = (errno.ENOSPC, errno.EDQUOT)
PROBE = 1_000_000


class StopError(Exception):
    """A start that cannot go on; the message is the sentence for whoever started it."""


def stop(problem: StopError) -> int:
    """Tell the problem on the error stream; returns the exit code."""
    sys.stdout.flush()
    sys.stderr.write(f"{problem}\n")
    return 1


def disk_full(folder: Path) -> StopError:
    """The sentence for a disk without room."""
    return StopError(
        f"The disk that holds {folder} is full: free some space (df -h {shlex.quote(str(folder))} shows how much "
        "there is), then start again."
    )


def file_problem(folder: Path, problem: OSError) -> StopError:
    """The sentence for a folder that cannot be made or written."""
    if problem.errno in FULL:
        return disk_full(folder)
    return StopError(
        f"{folder} cannot be written ({problem.strerror}): make it yours with "
        f'sudo chown -R "$(id -un)" {shlex.quote(str(folder))}, or name another folder: '
        'VAR="$HOME/interrater" make run'
    )


def need_room(folder: Path, megabytes: int) -> None:
    """Raise StopError where the disk of `folder` has less free than `megabytes`."""
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < megabytes:
        raise StopError(
            f"The disk that holds {folder} is full: {free} MB are free and {megabytes} MB are needed. Free some space "
            f"(df -h {shlex.quote(str(folder))} shows how much there is), then start again."
        )


def need_writable(folder: Path) -> None:
    """Make `folder` if it is missing and write to it as a trial; raise StopError where either fails."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * PROBE)
            file.flush()
    except OSError as problem:
        raise file_problem(folder, problem) from problem
