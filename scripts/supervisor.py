"""Start child processes, start them again when they fail, and end them all. Standard library only.

Children run in sessions of their own: Ctrl-C in the terminal reaches the supervisor alone, which then ends
them in order. On Linux the kernel ends them too should the supervisor be killed.
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
"""Seconds between asking a child to end and killing it; more than web server and workers give what they do."""
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
        """Start the process again when it has ended, later each time that it ends soon."""
        if self.process is None:
            if now >= self.due:
                self.start()
        elif self.process.poll() is not None:
            if now - self.started >= STEADY:
                self.wait = FIRST_WAIT
            sys.stderr.write(
                f"The {self.name} ended (exit code {self.process.returncode}); it starts again in {self.wait:.0f} s.\n"
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
    """Start `command` in a session of its own, to be ended by the kernel when this process is killed."""
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
    """Ask all to end, and kill what has not ended in time, with whatever it started."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
    latest = time.monotonic() + GRACE
    for process in processes:
        try:
            process.wait(max(latest - time.monotonic(), 0.01))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own, and has not been waited for
            process.wait()


class Supervisor:
    """Runs steps and services until a signal says to end."""

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
        """Wait, but not on when a child ends or a signal comes."""
        ready, _, _ = select.select([self.awake], [], [], seconds)
        if ready:
            os.read(self.awake, 512)

    def run_step(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, *, quiet: bool = False
    ) -> int | None:
        """Run `command` to its end; its exit code, None where a signal came first. `quiet` hides its output."""
        self.step = spawn(command, environment=environment, quiet=quiet)
        while not self.ending and self.step.poll() is None:
            self.pause(1.0)
        if self.ending:
            end([self.step])
            return None
        return self.step.returncode

    def start(self, service: Service) -> None:
        """Start `service`; from here on it is kept running."""
        self.services.append(service)
        service.start()

    def start_until(self, service: Service, ready: Callable[[], bool], seconds: float) -> bool:
        """Start `service` and wait until it is ready; False where it ended, was too slow or a signal came."""
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
        """Keep the services running until a signal says to end."""
        while not self.ending:
            self.pause(1.0)
            if not self.ending:
                for service in self.services:
                    service.keep(time.monotonic())

    def close(self) -> None:
        """End every child, the last started first to be asked."""
        running = [service.process for service in reversed(self.services) if service.process is not None]
        end(running)
