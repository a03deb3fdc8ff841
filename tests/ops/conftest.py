"""Real processes on free ports, ended by their ids, in folders of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 180.0
END = 30.0
OURS = (
    "DATABASE_URL", "BROKER_URL", "PROFILE", "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "DJANGO_SETTINGS_MODULE",
    "PYTHONPATH",
)  # fmt: skip


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return asking.getsockname()[1]


def clean_environment(**more: str) -> dict[str, str]:
    """The environment of somebody who has set nothing."""
    return {**{key: value for key, value in os.environ.items() if key not in OURS}, **more}


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def below(pid: int) -> list[int]:
    """The processes that `pid` and its children have started."""
    return [one for child in children_of(pid) for one in (child, *below(child))]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def has_ended(pid: int) -> bool:
    """Whether the process has ended. One whose parent ended first may be listed until process 1 asks for its status."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in ("Z", "X")


def wait_for_the_end_of(*pids: int) -> None:
    """Return when all of these processes have ended; fail if one keeps running."""
    latest = time.monotonic() + END
    while going_on := [pid for pid in pids if not has_ended(pid)]:
        assert time.monotonic() < latest, [command_of(pid) for pid in going_on]
        time.sleep(0.05)


@dataclass
class Launched:
    """A launcher that was started; `said` is what it printed until it was ready or ended."""

    process: subprocess.Popen
    port: str
    var: Path
    said: str = ""

    @property
    def ready(self) -> bool:
        return "Interrater runs at" in self.said

    @property
    def children(self) -> list[int]:
        return children_of(self.process.pid)

    def child(self, sign: str) -> int:
        """The child whose command line has `sign` in it."""
        (found,) = (pid for pid in self.children if sign in command_of(pid))
        return found

    def wait_for_workers(self, *queues: str) -> str:
        """Read until these workers have reported that they are ready; return what was printed."""
        assert self.ready, self.said
        missing, read = set(queues or ("calls", "jobs")), ""
        while missing:
            printed = self.read_until("ready.")
            assert "ready." in printed, f"ended before {missing} were ready: {printed}"
            line = printed.splitlines()[-1]
            missing -= {queue for queue in missing if f"{queue}@" in line}
            read += printed
        return read

    def read_until(self, sign: str) -> str:
        """What is printed up to the line with `sign`, or up to the end of all processes that could print."""
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if sign and sign in line:
                break
        return "".join(lines)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit code and what was printed until all its processes had ended."""
        self.process.send_signal(number)
        rest = self.read_until("")
        return self.process.wait(), rest


@contextmanager
def launching(folder: Path) -> Iterator[Callable[..., Launched]]:
    """A function that starts the launcher in `var`, or in the folder, and waits until it is ready or has ended."""
    started = []

    def start(var: Path | None = None, **environment: str) -> Launched:
        var = var or folder / "var"
        port = environment.pop("PORT", "") or str(free_port())
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.launcher"], cwd=ROOT, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=clean_environment(VAR=str(var), PORT=port, **environment),
        )  # fmt: skip
        guard = threading.Timer(LONGEST, process.kill)
        guard.start()
        launched = Launched(process, port, var)
        started.append((launched, guard))
        launched.said = launched.read_until("Interrater runs at")
        return launched

    try:
        yield start
    finally:
        for launched, guard in started:
            if launched.process.poll() is None:
                launched.end()
            guard.cancel()
            launched.process.stdout.close()


@pytest.fixture
def launch(tmp_path):
    """`launching` in the folder of one test."""
    with launching(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def first_start(tmp_path_factory):
    """The folder that a first start leaves behind, with a demo without answers: made once, copied by tests."""
    var = tmp_path_factory.mktemp("first") / "var"
    subprocess.run(
        [sys.executable, "-m", "config.startup", "--address", "http://127.0.0.1:1"],
        cwd=ROOT, env=clean_environment(VAR=str(var), DEMO="empty"), check=True, stdin=subprocess.DEVNULL,
        timeout=LONGEST,
    )  # fmt: skip
    return var


@pytest.fixture
def kept_var(first_start, tmp_path):
    """A folder of data as a first start leaves it, in a path with a space."""
    return Path(shutil.copytree(first_start, tmp_path / "kept var"))


@pytest.fixture
def shim(tmp_path):
    """A function that gives the PYTHONPATH under which every Python runs `code` before anything else."""

    def make(code: str) -> str:
        folder = tmp_path / "shim"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(code, encoding="utf-8")
        return str(folder)

    return make
