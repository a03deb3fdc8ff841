"""A PostgreSQL server of our own in a temporary folder, which tests stop, crash and fill; ended by its process id."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from scripts.stack import search_path
from tests.load.server import free_port
from tests.ops.conftest import children_of, wait_for_the_end_of

SLOWEST_START = 30.0
PROGRAMS = ("postgres", "initdb")
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--")
"""Not ended with its parent, which for the kernel is a thread: faults happen in threads."""
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
"""How a server ends: open transactions are rolled back, or everything is dropped at once, as in a power cut."""


def missing_program() -> str:
    """Say which program of PostgreSQL is not installed here; "" if none."""
    for name in (*PROGRAMS, *(["setpriv"] if os.geteuid() == 0 else [])):
        if shutil.which(name, path=search_path()) is None:
            return f"{name} is missing: sudo apt install postgresql"
    return ""


@dataclass
class OwnPostgres:
    """A server with one database; `folder` may be on a small file system of its own."""

    folder: Path
    connections: int = 60
    port: int = 0
    process: subprocess.Popen | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """Make the cluster, without a password: only this machine reaches it."""
        self.port = free_port()
        data = self._empty_data()
        self._run("initdb", "--pgdata", str(data), "--username", "postgres", "--auth", "trust", "--no-sync")

    def start(self) -> None:
        """Start the server, again if it ends at once, as a service manager does; wait until it accepts connections."""
        options = {
            "listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": "",
            "max_connections": self.connections, "wal_recycle": "off", "min_wal_size": "32MB",
        }  # fmt: skip
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        command = [*_owner(), _program("postgres"), "-D", str(self.folder / "data"), *given]
        deadline = time.monotonic() + SLOWEST_START
        self.process = self._launched(command)
        while not self.answers():
            if self.process.poll() is not None:
                self.process = self._launched(command)
            assert time.monotonic() < deadline, f"the server did not start within {SLOWEST_START:.0f} s"
            time.sleep(0.05)

    def _launched(self, command: list[str]) -> subprocess.Popen:
        return subprocess.Popen(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError as problem:
            return "too many clients" in str(problem)
        return True

    def stop(self, how: int = FAST) -> None:
        """End the server and wait until it has ended."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.crash()

    def crash(self) -> None:
        """Kill all processes of the server at once, and wait until they are gone.

        Each connection has a process in a session of its own, so the server's process group is the first one alone. If
        only that one were killed, the others would finish what they do and answer.
        """
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)  # it starts no others meanwhile
        others = children_of(self.process.pid)
        for pid in (self.process.pid, *others):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(10)
        wait_for_the_end_of(*others)

    @contextmanager
    def without_connections(self) -> Iterator[None]:
        """End all connections, and take every place for new ones within the block."""
        held: list[psycopg.Connection] = []
        try:
            self._take_all(held)
            while self._end_others(held):  # clients may have been faster
                self._take_all(held)
            yield
        finally:
            for one in held:
                one.close()

    def _empty_data(self) -> Path:
        data = self.folder / "data"
        data.mkdir(mode=0o700)
        if os.geteuid() == 0:
            self.folder.chmod(0o711)
            shutil.chown(data, "postgres", "postgres")
        return data

    def _take_all(self, held: list[psycopg.Connection]) -> None:
        try:
            while True:
                held.append(psycopg.connect(self.url, connect_timeout=2, autocommit=True))
        except psycopg.OperationalError:
            return

    def _end_others(self, held: list[psycopg.Connection]) -> int:
        """End the connections of others; return how many there were."""
        mine = [one.info.backend_pid for one in held]
        return held[0].execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND NOT pid = ANY(%s)", [mine],
        ).rowcount  # fmt: skip

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [*_owner(), _program(program), *arguments], cwd=self.folder, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip


def _owner() -> tuple[str, ...]:
    return AS_POSTGRES if os.geteuid() == 0 else ()


def _program(name: str) -> str:
    found = shutil.which(name, path=search_path())
    assert found is not None
    return found


@contextmanager
def own_postgres(folder: Path, connections: int = 60) -> Iterator[OwnPostgres]:
    """Yield a running server in `folder`, which is ended after the block."""
    server = OwnPostgres(folder, connections)
    server.create()
    server.start()
    try:
        yield server
    finally:
        server.stop(IMMEDIATE)
