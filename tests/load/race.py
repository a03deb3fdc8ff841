"""A race of raters for all slots of a study over HTTP, and what came of it.

python -m tests.load.race [--postgresql URL] --raters 20 --tasks 500 --redundancy 3
"""

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.consistency import RACES
from tests.load.server import Server, environment, own_database, run

Fault = Callable[[Server, threading.Event], None]
"""Does something to a running server; returns when it is over, at the latest soon after the event is set."""


def race(server_url: str | None, raters: int, tasks: int, redundancy: int) -> dict:
    """Start a server on a new database, let the raters race, and compare ledgers, database and export."""
    with tempfile.TemporaryDirectory() as name, own_database(server_url, Path(name)) as database:
        env = environment(database, Path(name))
        return race_on(env, Path(name), (raters, tasks, redundancy), Server(env, threads=16 if server_url else 8))


def race_on(
    env: dict[str, str], folder: Path, size: tuple[int, int, int], server: Server, fault: Fault | None = None
) -> dict[str, Any]:
    """Let raters race on `server` with files in `folder`, while a fault happens; `size`: raters, tasks, redundancy."""
    plan = json.loads(run(["-m", "tests.load.prepare", *map(str, size)], env))
    ledgers, written = folder / "ledgers", folder / "plan.json"
    ledgers.mkdir()
    server.start()
    try:
        written.write_text(json.dumps(plan | {"port": server.port, "ledgers": str(ledgers)}))
        with _happening(fault, server):
            told = json.loads(run(["-m", "tests.load.raters", str(written)], env))
    finally:
        server.end()
    run(["manage.py", "checkdata", *sorted(RACES)], env)
    run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export")], env)
    found = json.loads(run(["-m", "tests.load.compare", plan["study"], str(ledgers), str(folder / "export")], env))
    return dict(told | found)


@contextmanager
def _happening(fault: Fault | None, server: Server) -> Iterator[None]:
    """Let a fault happen beside the block; an error of the fault itself is raised after it."""
    if fault is None:
        yield
        return
    ending, problems = threading.Event(), []

    def guarded() -> None:
        try:
            fault(server, ending)
        except Exception as problem:  # noqa: BLE001 - the edge of a thread: raised again below
            problems.append(problem)

    thread = threading.Thread(target=guarded, name="fault")
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
    if problems:
        raise problems[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--redundancy", type=int, default=3)
    given = parser.parse_args()
    json.dump(race(given.postgresql, given.raters, given.tasks, given.redundancy), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
