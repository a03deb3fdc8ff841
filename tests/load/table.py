"""Loads of every protocol by ever more annotators on both databases, as one Markdown table.

    python -m tests.load.table [--postgresql URL] [--annotators 1 8 32 100] [--protocols rating session] [--answers 15]
        [--think 20]

Annotators ask and answer without pauses, so a row says what the site can do, not what people feel; or they think before
each answer, `--think` seconds on average, so a row says what they feel. Client, server and database share the machine.
Milliseconds; *agree* says whether the clients' ledgers, the database and the export have the same answers. Sessions are
answered by a scripted endpoint after 0.2 s, and have one rating per person.
"""

import argparse
import json
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.consistency import RACES
from tests.load.server import Server, environment, own_database, run
from tests.load.sessions import trial as sessions_trial

PROTOCOLS = ("rating", "listwise", "pairwise", "session")
ANNOTATORS = (1, 8, 32, 100)
REDUNDANCY, WORDS = 3, 300
PROCESSES = {"SQLite": (2, 4), "PostgreSQL": (3, 2)}
"""Web processes and threads, as `make run` and docker-compose.yml start them."""
HEAD = (
    "database", "protocol", "annotators", "ratings/s", "next p95", "submit p95", "longest", "sent again", "errors",
    "over quota", "agree",
)  # fmt: skip


def rows(server_url: str | None, given: argparse.Namespace) -> Iterator[list[Any]]:
    """Yield a row of the table per database, protocol and number of annotators."""
    databases = {"SQLite": None, **({"PostgreSQL": server_url} if server_url else {})}
    for protocol in given.protocols:
        for annotators in given.annotators:
            for database, url in databases.items():
                found = (
                    of_sessions(url, database, annotators)
                    if protocol == "session"
                    else of_tasks(url, database, protocol, annotators, given.answers, given.think)
                )
                yield [database, protocol, annotators, *found]


def of_tasks(url: str | None, database: str, protocol: str, annotators: int, answers: int, think: float) -> list[Any]:
    """Load a study of tasks; the row's figures."""
    tasks = 2 * max(answers, annotators * answers // REDUNDANCY + annotators)
    with tempfile.TemporaryDirectory() as name, own_database(url, Path(name)) as address:
        folder = Path(name)
        env = environment(address, folder)
        size = map(str, (annotators, tasks, REDUNDANCY))
        plan = json.loads(run(["-m", "tests.load.prepare", *size, protocol, str(WORDS)], env))
        processes, threads = PROCESSES[database]
        server = Server(env, workers=processes, threads=threads)
        ledgers, written = folder / "ledgers", folder / "plan.json"
        ledgers.mkdir()
        server.start()
        try:
            more = {
                "port": server.port,
                "ledgers": str(ledgers),
                "protocol": protocol,
                "answers": answers,
                "think": think,
            }
            written.write_text(json.dumps(plan | more))
            told = json.loads(run(["-m", "tests.load.annotators", str(written)], env))
        finally:
            server.end()
        run(["manage.py", "checkdata", *sorted(RACES)], env)
        run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export")], env)
        kept = json.loads(run(["-m", "tests.load.compare", plan["study"], str(ledgers), str(folder / "export")], env))
    agree = kept["acknowledged"] == kept["stored"] == kept["exported"] and not kept["lost"] + kept["unacknowledged"]
    over = kept["surplus"] + kept["rater_twice_on_a_task"] + (max(kept["raters_per_task"], default=0) > REDUNDANCY)
    figures = [told[key] for key in ("per_second", "next_p95", "submit_p95", "longest", "sent_again")]
    return [*figures, len(told["errors"]), over, agree and f"yes, {kept['stored']}"]


def of_sessions(url: str | None, database: str, people: int) -> list[Any]:
    """Load a study of sessions; the row's figures."""
    told = sessions_trial(
        Namespace(
            postgresql=url, people=people, turns=1, kills=0, delay=0.2, in_flight=32, threads=32,
            web_workers=PROCESSES[database][0], spread=0.0, think=0.0, seed=1,
        )
    )  # fmt: skip
    times = [told[kind] for kind in ("page", "step", "writing")]
    return [
        round(people / told["seconds"], 1), told["page"]["p95_ms"], told["step"]["p95_ms"],
        max(figures["p100_ms"] for figures in times if figures["requests"]), told["retries"], len(told["errors"]), 0,
        not told["wrong"] and f"yes, {told['acknowledged']}",
    ]  # fmt: skip


def line(cells: list[Any]) -> str:
    return f"| {' | '.join('**no**' if cell is False else str(cell) for cell in cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create databases (default: SQLite alone)")
    parser.add_argument("--annotators", type=int, nargs="+", default=ANNOTATORS)
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=PROTOCOLS)
    parser.add_argument("--answers", type=int, default=15, help="answers per annotator")
    parser.add_argument("--think", type=float, default=0.0, help="seconds before each answer, except in sessions")
    given = parser.parse_args()
    print(line(list(HEAD)), line(["---", "---", *["---:"] * 8, "---"]), sep="\n", flush=True)
    right = True
    for cells in rows(given.postgresql, given):
        print(line(cells), flush=True)
        right = right and not cells[-3] and not cells[-2] and cells[-1] is not False
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
