"""A real web server on a database of its own, for tests that need processes; it is ended by its id."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent.parent
SLOWEST_START = 90.0


@contextmanager
def own_database(server_url: str | None, folder: Path) -> Iterator[str]:
    """Yield the URL of a new database on the PostgreSQL server at `server_url`, or of a SQLite file in `folder`."""
    if server_url is None:
        yield f"sqlite:///{folder / 'load.sqlite3'}"
        return
    name = f"interrater_load_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        yield f"{server_url.rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def environment(database: str, folder: Path) -> dict[str, str]:
    """Return the environment of commands and servers that use this database."""
    return {
        **os.environ,
        "DATABASE_URL": database,
        "VAR": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PROFILE": "embedded",
        "LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(ROOT),
    }


def run(
    arguments: list[str], env: dict[str, str], timeout: float = 600, in_vain: Callable[[], bool] = lambda: False
) -> str:
    """Run Python with these arguments, which must succeed; return what it prints.

    It is killed with what it has started at the end of `timeout` in seconds, and, looked at once a second, as soon as
    it runs `in_vain`.
    """
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    deadline, why = time.monotonic() + timeout, ""
    try:
        while not why:
            try:
                out, errors = process.communicate(timeout=1)
                assert process.returncode == 0, f"{arguments}: {out}{errors}"
                return out
            except subprocess.TimeoutExpired:
                if time.monotonic() > deadline:
                    why = f"not done within {timeout:.0f} s"
                elif in_vain():
                    why = "ended, because it ran in vain"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    out, errors = process.communicate(timeout=5)
    raise AssertionError(f"{arguments}: {why}: {out}{errors}")


@dataclass
class Server:
    """A gunicorn process on a free port."""

    env: dict[str, str]
    workers: int = 1
    threads: int = 8
    worker_class: str = "config.buffering_worker.BufferingWorker"
    port: int = 0
    log: Path | None = None
    """Where the server's messages go; None: to ours."""
    process: subprocess.Popen | None = field(default=None, repr=False)

    def start(self) -> None:
        self.port = self.port or free_port()
        messages = self.log.open("ab") if self.log else None
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", f"127.0.0.1:{self.port}",
                "--worker-class", self.worker_class, "--workers", str(self.workers), "--threads", str(self.threads),
                "--no-control-socket", "--log-level", "error", "--graceful-timeout", "5",
            ],
            cwd=ROOT, env=self.env, start_new_session=True, stdout=messages, stderr=messages,
        )  # fmt: skip
        if messages:
            messages.close()
        deadline = time.monotonic() + SLOWEST_START
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/sign-in/", timeout=2).close()
                return
            except urllib.error.HTTPError:
                return
            except OSError:
                assert self.process.poll() is None, "the server ended during its start"
                time.sleep(0.05)
        raise AssertionError(f"the server did not answer within {SLOWEST_START:.0f} s")

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def end(self, how: int = signal.SIGTERM) -> None:
        """End the server and everything it started, by process group."""
        if self.process is None or self.process.poll() is not None:
            return
        os.killpg(self.process.pid, how)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
