"""Several workers as forks of one process that has loaded the program, so that they share its memory.

The parent does nothing but start a worker again that has ended, and hand on the signal that ends all of them. It opens
no connections and starts no threads, because forks would share them.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType

PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
LOOK_EVERY = 0.5
FIRST_WAIT, LONGEST_WAIT, STEADY = 1.0, 30.0, 60.0


@dataclass
class Fork:
    """A worker that should run as long as its parent."""

    queue: str
    pid: int = 0
    """0 while it does not run."""
    started: float = 0.0
    wait: float = FIRST_WAIT
    due: float = 0.0
    told: bool = False
    """Whether it was asked to end: a second signal would cut its work short."""

    def start(self) -> bool:
        """Fork; return whether this is the new process."""
        parent = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)  # or one that comes now would be lost in the new process
        self.started, self.pid = time.monotonic(), os.fork()
        if self.pid == 0:
            become_child(parent)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
        return self.pid == 0

    def look(self, *, ending: bool) -> None:
        """Note whether it has ended; wait longer to start it again each time that it ends soon after its start."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if not pid:
            return
        self.pid = 0
        if ending:
            return
        now = time.monotonic()
        if now - self.started >= STEADY:
            self.wait = FIRST_WAIT
        code = os.waitstatus_to_exitcode(status)
        sys.stderr.write(
            f"The worker for {self.queue} ended (exit code {code}) and starts again in {self.wait:.0f} s.\n"
        )
        self.due = now + self.wait
        self.wait = min(2 * self.wait, LONGEST_WAIT)

    def tell(self) -> None:
        """Ask it to end."""
        if not self.told:
            os.kill(self.pid, signal.SIGTERM)
            self.told = True


def become_child(parent: int) -> None:
    """Take what signals do by default, and end with the parent.

    It leads a process group, so that Ctrl-C in a terminal reaches only the parent.
    """
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # killed before the line above
        os._exit(1)


@dataclass
class ForkedWorkers:
    """All workers, as their parent sees them."""

    forks: Sequence[Fork]
    ending: bool = field(default=False, init=False)

    def run(self) -> str | None:
        """Keep all workers running until a signal comes, and end them; then return None.

        In each new process, return at once the queue that it has to serve.
        """
        for number in ENDING:
            signal.signal(number, self._note)
        while not self.ending or any(fork.pid for fork in self.forks):
            for fork in self.forks:
                if fork.pid:
                    fork.look(ending=self.ending)
                elif not self.ending and time.monotonic() >= fork.due and fork.start():
                    return fork.queue
                if fork.pid and self.ending:
                    fork.tell()
            time.sleep(LOOK_EVERY)
        return None

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.ending = True
