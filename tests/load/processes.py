"""Two, four and eight web processes behind the shipped proxy race for the slots of one study.

    python -m tests.load.processes [--postgresql URL] [--processes 2 4 8] [--raters 24] [--tasks 200]

Prints a Markdown row per number of processes. Raters claim and answer without pauses until nothing is open. *agree*:
every slot is filled once, by as many raters per task as the study asks for, none of them twice, and the clients'
ledgers, the database and the export have the same answers.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.faults.killed_proxy import ProxiedServer
from tests.load.race import race_on
from tests.load.server import environment, own_database
from tests.load.table import line
from tests.own_proxy import missing_proxy

REDUNDANCY, THREADS = 3, 2
HEAD = ("web processes", "answers/s", "submit p50", "submit p95", "over quota", "agree")


def race_of_processes(url: str | None, processes: int, raters: int, tasks: int) -> dict[str, Any]:
    """Let raters race through the proxy for a study that so many web processes serve; the figures of `race_on`."""
    with tempfile.TemporaryDirectory() as name, own_database(url, Path(name)) as database:
        folder = Path(name)
        env = environment(database, folder) | {"BEHIND_PROXY": "true"}
        server = ProxiedServer(env, workers=processes, threads=THREADS)
        return race_on(env, folder, (raters, tasks, REDUNDANCY), server)


def over_quota(found: dict[str, Any]) -> int:
    """Answers beyond the quota: surplus ones, a rater's second on a task, and slots beyond those that are planned."""
    too_many = sum(raters > REDUNDANCY for raters in found["raters_per_task"])
    return int(found["surplus"] + found["rater_twice_on_a_task"] + too_many)


def agrees(found: dict[str, Any]) -> bool:
    """Whether every slot is filled, and ledgers, database and export have the same answers."""
    counts = {found[key] for key in ("slots", "filled", "acknowledged", "stored", "exported")}
    return len(counts) == 1 and not (found["lost"] or found["unacknowledged"] or found["errors"] or over_quota(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create databases (default: SQLite)")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--raters", type=int, default=24)
    parser.add_argument("--tasks", type=int, default=200)
    given = parser.parse_args()
    if missing := missing_proxy():
        parser.error(missing)
    print(line(list(HEAD)), line([*["---:"] * 5, "---"]), sep="\n", flush=True)
    right = True
    for processes in given.processes:
        found = race_of_processes(given.postgresql, processes, given.raters, given.tasks)
        rate = round(found["submissions"] / found["seconds"], 1)
        times = [round(1000 * found[key]) for key in ("p50", "p95")]
        agree = agrees(found) and f"yes, {found['stored']}"
        print(line([processes, rate, *times, over_quota(found), agree]), flush=True)
        right = right and agree is not False
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
