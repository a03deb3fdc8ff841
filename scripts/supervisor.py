"""Start child processes, restart them when they fail, and end them all. Standard library only.

Children run in sessions of their own, so Ctrl-C in the terminal reaches only the supervisor, which then ends them in
order. On Linux, if the supervisor is killed, the kernel ends them too.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType

PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
GRACE = 15.0
"""Seconds between asking a child to end and killing it; longer than web server and workers take to finish work."""
FIRST_WAIT, LONGEST_WAIT, STEADY = 1.0, 30.0, 60.0


@dataclass
class Service:
    """A process that should run as long as the supervisor does."""

    name: str
    command: Sequence[str]
    descriptors: tuple[int, ...] = ()
    environment: Mapping[str, str] | None = None
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    wait: float = FIRST_WAIT
    due: float = field(default=0.0)

    def start(self) -> None:
        self.process, self.started = spawn(self.command, self.descriptors, self.environment), time.monotonic()

    def keep(self, now: float) -> None:
        """Restart the process after it has ended, with a longer wait each time that it ends soon after its start."""
        if self.process is None:
            if now >= self.due:
                self.start()
        elif self.process.poll() is not None:
            if now - self.started >= STEADY:
                self.wait = FIRST_WAIT
            sys.stderr.write(
                f"The {self.name} ended (exit code {self.process.returncode}) and starts again in {self.wait:.0f} s.\n"
            )
            self.process, self.due = None, now + self.wait
            self.wait = min(2 * self.wait, LONGEST_WAIT)


def spawn(
    command: Sequence[str],
    descriptors: tuple[int, ...] = (),
    environment: Mapping[str, str] | None = None,
    *,
    quiet: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `command` in a session of its own; on Linux the kernel ends it if this process is killed."""
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    parent = os.getpid()

    def follow_parent() -> None:
        if libc is not None:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # killed before the line above
                os._exit(1)

    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if quiet else None, pass_fds=descriptors,
        env=environment, start_new_session=True, preexec_fn=follow_parent,
    )  # fmt: skip


def end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask all processes to end; kill those that do not end in time, and everything they started."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    latest = time.monotonic() + GRACE
    for process in processes:
        try:
            process.wait(max(latest - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            # It leads a process group of its own, and its id cannot be reused before it is waited for.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Supervisor:
    """Runs steps and services until a signal asks it to end."""

    def __init__(self) -> None:
        self.ending = False
        self.services: list[Service] = []
        self.step: subprocess.Popen[bytes] | None = None
        self.awake, wake = os.pipe()
        os.set_blocking(self.awake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, self._note)
        for number in ENDING:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.ending = self.ending or number in ENDING

    def pause(self, seconds: float) -> None:
        """Wait for `seconds`, or until a child ends or a signal comes."""
        ready, _, _ = select.select([self.awake], [], [], seconds)
        if ready:
            os.read(self.awake, 512)

    def run_step(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, quiet: bool = False
    ) -> int | None:
        """Run `command` and return its exit code, or None if a signal came first. `quiet` hides its output."""
        self.step = spawn(command, environment=environment, quiet=quiet)
        while not self.ending and self.step.poll() is None:
            self.pause(1.0)
        if self.ending:
            end([self.step])
            return None
        return self.step.returncode

    def start(self, service: Service) -> None:
        """Start `service`, which `watch` then keeps running."""
        self.services.append(service)
        service.start()

    def start_until(self, service: Service, ready: Callable[[], bool], seconds: float) -> bool:
        """Start `service` and wait until it is ready; return False if it ended, was too slow or a signal came."""
        self.start(service)
        latest = time.monotonic() + seconds
        while not self.ending and time.monotonic() < latest:
            if service.process is None or service.process.poll() is not None:
                return False
            if ready():
                return True
            self.pause(0.05)
        return False

    def watch(self) -> None:
        """Keep the services running until a signal asks it to end."""
        while not self.ending:
            self.pause(1.0)
            if not self.ending:
                for service in self.services:
                    service.keep(time.monotonic())

    def close(self) -> None:
        """End all services; the last one started is asked first."""
        running = [service.process for service in reversed(self.services) if service.process is not None]
        end(running)
