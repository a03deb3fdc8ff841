"""End a process that hangs, so that what runs it (Docker, systemd) starts it again.

Docker marks a container as unhealthy and does nothing. So its health check counts in a small file how often in a row
it has found the process hanging, and ends it. Process 1 of a container hands SIGTERM on to the program; a program that
does not end by the next check is killed. Counting begins again with each process.
"""

import json
import os
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HungProcess:
    """The process with an id, and the file that counts how often it was found hanging."""

    pid: int

    @property
    def file(self) -> Path:
        return Path(tempfile.gettempdir()) / f"interrater-hung-{os.getuid()}-{self.pid}.json"

    def identity(self) -> str:
        """Return what differs between processes that have had the same id: when it was started."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
        except OSError:
            return ""

    def counted(self) -> int:
        """Return how often in a row this process was found hanging."""
        try:
            kept = json.loads(self.file.read_text(encoding="ascii"))
            return int(kept["times"]) if kept["started"] == self.identity() else 0
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def note(self, hangs: bool, most: int) -> None:
        """Count what a check has found; end the process at the `most`th time in a row, and kill it after that."""
        if not hangs or not self.identity():
            self.file.unlink(missing_ok=True)
            return
        times = self.counted() + 1
        self.file.write_text(json.dumps({"times": times, "started": self.identity()}), encoding="ascii")
        if times < most:
            return
        sys.stderr.write(f"Process {self.pid} was found hanging {times} times in a row and is ended.\n")
        if times == most:
            send(self.pid, signal.SIGTERM)
        else:
            for pid in (*descendants(self.pid), self.pid):
                send(pid, signal.SIGKILL)


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def descendants(pid: int) -> list[int]:
    """Return the processes that `pid` and its children have started, without this one and its parents."""
    own, found = ancestors(os.getpid()), []
    for child in children(pid):
        if child not in own:
            found += [child, *descendants(child)]
    return found


def ancestors(pid: int) -> set[int]:
    """Return `pid` and the processes above it."""
    above = set()
    while pid > 0 and pid not in above:
        above.add(pid)
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:
            break
    return above


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []
