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

from tests.load.raters import OVER
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
    server.start()
    try:
        told = raced(env, folder, plan | {"places": size[1] * size[2]}, server, fault)
    finally:
        server.end()
    return told | compared(env, folder, plan["study"])


def raced(
    env: dict[str, str], folder: Path, plan: dict[str, Any], server: Server, fault: Fault | None = None
) -> dict[str, Any]:
    """Let raters race for the places of the plan's study on a running server; return what they were told."""
    (folder / "ledgers").mkdir()
    plan = plan | {"port": server.port, "ledgers": str(folder / "ledgers"), "fault": fault is not None}
    (folder / "plan.json").write_text(json.dumps(plan))
    with _happening(fault, server, folder / "ledgers" / OVER) as problems:
        command = ["-m", "tests.load.raters", str(folder / "plan.json")]
        return dict(json.loads(run(command, env, timeout=1200, in_vain=lambda: bool(problems))))


def compared(env: dict[str, str], folder: Path, study: str) -> dict[str, Any]:
    """Compare the ledgers with the database and a new export; return what was found."""
    arguments = [study, str(folder / "ledgers"), str(folder / "export")]
    return dict(json.loads(run(["-m", "tests.load.compare", *arguments], env)))


@contextmanager
def _happening(fault: Fault | None, server: Server, over: Path) -> Iterator[list[Exception]]:
    """Let a fault happen beside the block, and write `over` when it is; yields where its own error will be.

    That error is raised after the block, instead of one of the raters, who then worked in vain.
    """
    problems: list[Exception] = []
    if fault is None:
        yield problems
        return
    ending = threading.Event()

    def guarded() -> None:
        try:
            fault(server, ending)
        except Exception as problem:  # noqa: BLE001 - the edge of a thread: raised again below
            problems.append(problem)
        finally:
            over.touch()

    thread = threading.Thread(target=guarded, name="fault")
    thread.start()
    try:
        yield problems
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
