"""A power cut: what is in the database's files at one moment, copied while everything that writes to them stands still.

Each copy is opened by a program of its own (`tests.faults.cut_copies`), which says what is wrong with it. That a commit
waits for the disk, so that what the files have is what a disk has, is shown in `tests/config/test_durable_commits.py`.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.own_postgres import IMMEDIATE, OwnPostgres
from tests.load.server import free_port, run

LONGEST_TORN = 5000
STATE = Path("/proc")


def family(pid: int) -> list[int]:
    """A process and all its descendants, parents first."""
    children = (STATE / str(pid) / "task" / str(pid) / "children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    """Stop a process and its descendants within the block, wherever they are."""
    stopped: list[int] = []
    try:
        while new := [one for one in family(pid) if one not in stopped]:  # one may have started another meanwhile
            for one in new:
                os.kill(one, signal.SIGSTOP)
                stopped.append(one)
        deadline = time.monotonic() + 10
        while any(_runs(one) for one in stopped):
            assert time.monotonic() < deadline, "a process does not stop"
            time.sleep(0.001)
        yield
    finally:
        for one in stopped:
            os.kill(one, signal.SIGCONT)


def _runs(pid: int) -> bool:
    """Whether a stopped process still ends a call to the system, such as a write."""
    return (STATE / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in ("T", "Z", "X")


def acknowledged(ledgers: Path) -> list[str]:
    """The keys of all answers that raters were told are stored."""
    lines = (line for file in ledgers.glob("*.jsonl") for line in file.read_text().splitlines(keepends=True))
    return [json.loads(line)["client_key"] for line in lines if line.endswith("\n")]


class PowerCuts:
    """Copies of an installation's database at the moments of power cuts, and what is wrong with them."""

    def __init__(self, folder: Path, ledgers: Path, seed: int = 1) -> None:
        self.folder, self.ledgers, self.draw = folder, ledgers, random.Random(seed)
        folder.mkdir()
        self.number = 0

    def _next(self) -> Path:
        place = self.folder / f"cut-{self.number}"
        self.number += 1
        place.mkdir()
        (place / "acknowledged.json").write_text(json.dumps(acknowledged(self.ledgers)))
        return place

    def cut_sqlite(self, writer: int, database: Path) -> None:
        """Copy the file and its log, without the shared memory, which a cut loses; sometimes with half a write."""
        time.sleep(self.draw.uniform(0, 0.1))
        place = self._next()
        with frozen(writer):
            for end in ("", "-wal"):
                source = database.with_name(database.name + end)
                if source.exists():
                    shutil.copyfile(source, place / f"copy.sqlite3{end}")
        if self.draw.random() < 0.5:  # the disk had begun to write the next part of the log
            with (place / "copy.sqlite3-wal").open("ab") as log:
                log.write(self.draw.randbytes(self.draw.randrange(LONGEST_TORN)))

    def cut_postgres(self, postgres: OwnPostgres) -> None:
        """Copy the folder of a server's data."""
        time.sleep(self.draw.uniform(0, 0.1))
        place = self._next()
        assert postgres.process is not None
        with frozen(postgres.process.pid):
            subprocess.run(["cp", "--archive", postgres.folder / "data", place / "data"], check=True, timeout=120)

    def problems(self, env: dict[str, str]) -> list[str]:
        """Open each copy as after the cut; say what is wrong."""
        found = []
        for place in sorted(self.folder.iterdir()):
            keys = str(place / "acknowledged.json")
            if (place / "data").is_dir():
                told = self._opened_by_postgres(place, env, keys)
            else:
                url = {"DATABASE_URL": f"sqlite:///{place / 'copy.sqlite3'}"}
                told = json.loads(run(["-m", "tests.faults.cut_copies", keys], env | url))
            found += [f"{place.name}: {problem}" for problem in told]
        return found

    @staticmethod
    def _opened_by_postgres(place: Path, env: dict[str, str], keys: str) -> Any:
        place.chmod(0o711)
        (place / "data" / "postmaster.pid").unlink(missing_ok=True)  # a machine that starts has no such process
        server = OwnPostgres(place, port=free_port())
        server.start()
        try:
            return json.loads(run(["-m", "tests.faults.cut_copies", keys], env | {"DATABASE_URL": server.url}))
        finally:
            server.stop(IMMEDIATE)
