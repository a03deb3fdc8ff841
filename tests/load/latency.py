"""Rating with a database on another host: web processes and workers reach it through a relay that delays every byte.

    python -m tests.load.latency --postgresql URL [--ms 0 5 50] [--annotators 16] [--answers 20] [--processes 3]

Prints a Markdown row per delay (of a round trip). Annotators fetch each page and answer it without pauses; *page* and
*submit* are the round trips of one page and of one *Submit and next*, counted on the wire while one person works alone.
Workers are a process group of their own, which must keep a report. *agree*: the clients' ledgers, the database and the
export have the same answers, and no task has more than its quota.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.consistency import RACES
from tests.load.annotators import Annotator
from tests.load.engine import Process, own_redis
from tests.load.server import ROOT, Server, environment, own_database, run
from tests.load.table import line

REDUNDANCY, WORDS, ALONE = 3, 300, 8
HEAD = (
    "ms", "answers/s", "next p50", "next p95", "submit p50", "submit p95", "page", "submit", "statements",
    "report", "agree",
)  # fmt: skip
REPORT = """
import django; django.setup()
import sys, time
from annotation.models import Study
from reports.kept.kept_reports import kept_report
from reports.report_kinds.agreement import agreement_choices
until = time.monotonic() + 90
while not (kept := kept_report(Study.objects.get(), "agreement", agreement_choices())).is_there:
    assert time.monotonic() < until, (kept.reason, kept.waiting)
    time.sleep(0.5)
print("kept")
"""


class Relay:
    """A running relay: the address of the database through it, and what has gone over it."""

    def __init__(self, database: str, process: subprocess.Popen[str]) -> None:
        self.process = process
        parts = urlsplit(database)
        user = parts.netloc.rpartition("@")[0]
        self.url = urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{self._line()}"))

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def counts(self) -> tuple[int, int]:
        """The round trips and the statements so far."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        told = json.loads(self._line())
        return told["trips"], told["statements"]


@contextmanager
def relayed(database: str, milliseconds: float) -> Iterator[Relay]:
    """Run a relay in front of the PostgreSQL server of `database`, ended after the block."""
    parts = urlsplit(database)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.load.relay", str(parts.hostname), str(parts.port or 5432), str(milliseconds)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True,
    )  # fmt: skip
    try:
        yield Relay(database, process)
    finally:
        process.kill()
        process.communicate()


def trial(url: str, milliseconds: float, given: argparse.Namespace) -> dict[str, Any]:
    """Let annotators rate over a delay; what they met, what it cost, and what is stored."""
    tasks = 2 * ((given.annotators + 1) * given.answers // REDUNDANCY + given.annotators + ALONE)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        near = environment(stack.enter_context(own_database(url, folder)), folder)
        near["BROKER_URL"] = stack.enter_context(own_redis(folder))
        relay = stack.enter_context(relayed(near["DATABASE_URL"], milliseconds))
        far = near | {"DATABASE_URL": relay.url, "DATABASE_FAR": str(milliseconds > 0)}
        size = map(str, (given.annotators + 1, tasks, REDUNDANCY))
        plan = json.loads(run(["-m", "tests.load.prepare", *size, "rating", str(WORDS)], near))
        (folder / "ledgers").mkdir()
        plan |= {"ledgers": str(folder / "ledgers"), "protocol": "rating"}
        worker = Process(["config.worker", "calls", "jobs"], far, folder / "worker.log")
        stack.callback(worker.end)
        cost = _counted_alone(far, plan, relay)
        worker.start()
        server = Server(far, workers=given.processes, threads=given.threads)
        stack.callback(server.end)
        server.start()
        told = _annotated(near, plan | {"port": server.port, "answers": given.answers}, folder)
        report = run(["-c", REPORT], near).strip()
        worker.end()
        server.end()
        run(["manage.py", "checkdata", *sorted(RACES)], near)
        run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export"), "--data-only"], near)
        compared = [plan["study"], str(folder / "ledgers"), str(folder / "export")]
        return {**cost, **told, "report": report, **json.loads(run(["-m", "tests.load.compare", *compared], near))}


def _annotated(env: dict[str, str], plan: dict[str, Any], folder: Path) -> dict[str, Any]:
    written = folder / "plan.json"
    written.write_text(json.dumps(plan | {"sessions": plan["sessions"][1:]}))
    return dict(json.loads(run(["-m", "tests.load.annotators", str(written)], env)))


def _counted_alone(env: dict[str, str], plan: dict[str, Any], relay: Relay) -> dict[str, float]:
    """What a page and an answer cost on the wire, when one person alone asks one process; medians."""
    server = Server(env, workers=1, threads=1)
    server.start()
    person, counts, where = Annotator(plan | {"port": server.port}, 0), [relay.counts()], None
    try:
        for _ in range(ALONE):
            task = person.fetch(where)
            assert task is not None, person.errors
            counts.append(relay.counts())
            where = person.answer(*task)
            counts.append(relay.counts())
    finally:
        server.end()
        person.ledger.close()
        if person.connection is not None:
            person.connection.close()
    spent = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(counts)]
    (page, seen), (submit, written) = (
        (median(one[0] for one in half), median(one[1] for one in half)) for half in (spent[::2], spent[1::2])
    )
    return {"page": page, "submit": submit, "statements": seen + written}


def cells(milliseconds: float, found: dict[str, Any]) -> list[Any]:
    """The row of a trial."""
    kept = found["acknowledged"] == found["stored"] == found["exported"] and not found["lost"] + found["unacknowledged"]
    over = found["surplus"] + found["rater_twice_on_a_task"] + (max(found["raters_per_task"]) > REDUNDANCY)
    agree = kept and not over and not found["errors"]
    keys = ("per_second", "next_p50", "next_p95", "submit_p50", "submit_p95", "page", "submit", "statements", "report")
    return [f"{milliseconds:g}", *(found[key] for key in keys), agree and f"yes, {found['stored']}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", required=True, help="URL of a server on which to create databases")
    parser.add_argument("--ms", type=float, nargs="+", default=[0, 5, 50], help="milliseconds of a round trip")
    parser.add_argument("--annotators", type=int, default=16)
    parser.add_argument("--answers", type=int, default=20, help="answers per annotator")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    print(line(list(HEAD)), line(["---:"] * 9 + ["---"] * 2), sep="\n", flush=True)
    right = True
    for milliseconds in given.ms:
        row = cells(milliseconds, trial(given.postgresql, milliseconds, given))
        print(line(row), flush=True)
        right = right and row[-1] is not False
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
