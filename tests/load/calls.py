"""Calls through claim, ledger and result while real workers are killed, and what came of them.

    python -m tests.load.calls [--postgresql URL] --calls 500 --kills 50 [--deaths 20] [--delay 0.1] [--workers 2]
        [--in-flight 16] [--rows calls_rows judgment_rows]

Workers are killed at random moments (`--kills`), and die just before they write a result (`--deaths`). The calls of
`judgment_rows` are those of a run of a judge; if both kinds are named, each has `--calls`. With `--postgresql` it runs
on a new database on that server with a Redis of its own, otherwise on SQLite with the embedded broker. At the end it
compares the requests that the endpoint received with the ledger and the rows.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import redis

from tests.load.engine import Process, endpoints_file, own_redis, scripted_server
from tests.load.server import ROOT, environment, own_database, run

LONGEST = 1200.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--deaths", type=int, default=0, help="how often a worker dies before it writes a result")
    parser.add_argument("--flushes", type=int, default=0, help="how often the broker is emptied, with --postgresql")
    parser.add_argument("--delay", type=float, default=0.1, help="seconds that the endpoint takes for a reply")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--rows", choices=("calls_rows", "judgment_rows"), default=["calls_rows"], nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(trial(parser.parse_args()), indent=1))
    return 0


def trial(given: argparse.Namespace) -> dict[str, Any]:
    """Queue calls, kill workers at random moments while they run, and compare the results."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(own_database(given.postgresql, folder))
        env = environment(database, folder) | {
            "CALL_THREADS": str(given.threads),
            "LOG_LEVEL": "WARNING",
            "CALL_LEASE": "8",
            "DEATHS": str(folder / "deaths"),
            "MOST_DEATHS": str(given.deaths),
        }
        (folder / "deaths").touch()
        if given.postgresql:
            env["BROKER_URL"] = stack.enter_context(own_redis(folder))
        served = stack.enter_context(scripted_server(folder, given.delay))
        endpoints_file(folder / "endpoints.yaml", served.address, given.in_flight)
        run(["manage.py", "migrate", "-v", "0"], env)
        workers = [
            Process(["tests.load.dying_worker", "calls"], env, folder / f"worker-{number}.log")
            for number in range(given.workers)
        ]
        for worker in workers:
            stack.callback(worker.kill)
            worker.start()
        began = time.monotonic()
        queueing = [
            subprocess.Popen(
                [sys.executable, "-m", f"tests.load.{rows}", "queue", str(given.calls)], cwd=ROOT, env=env,
                stdout=subprocess.DEVNULL,
            ) for rows in given.rows
        ]  # fmt: skip
        for process in queueing:
            stack.callback(process.kill)
        killed = kill_and_wait(given, workers, env, served.log, queueing)
        found = {rows: json.loads(run(["-m", f"tests.load.{rows}", "compare"], env)) for rows in given.rows}
        asked = [json.loads(line)["asked"] for line in served.log.read_text().splitlines()]
        per_call = Counter(json.dumps(one["messages"]) for one in asked)
        return {
            "calls": given.calls, "kills": killed["kills"],
            "deaths": len((folder / "deaths").read_text().splitlines()), "flushes": min(given.flushes, killed["kills"]),
            "seconds": round(time.monotonic() - began, 1),
            "calls_per_second": round(given.calls * len(given.rows) / killed["seconds"], 1), **found,
            "requests_at_endpoint": len(asked), "most_requests_of_one_call": max(per_call.values(), default=0),
            "errors_logged": sorted({
                line[:300] for worker in workers for line in worker.log.read_text(errors="replace").splitlines()
                if "ERROR" in line or "Traceback" in line
            }),
        }  # fmt: skip


def kill_and_wait(
    given: argparse.Namespace, workers: list[Process], env: dict[str, str], log: Path, queueing: list[subprocess.Popen]
) -> dict[str, Any]:
    """Kill and restart a worker each time the endpoint has received a few more requests, until all calls are done."""
    random.seed(given.seed)
    calls = given.calls * len(queueing)
    began, kills, most = time.monotonic(), 0, max(calls // max(given.kills, 1), 2)
    while time.monotonic() - began < LONGEST:
        if kills < given.kills and await_calls(log, random.randrange(1, most)):
            worker = random.choice(workers)
            worker.kill()
            worker.start()
            kills += 1
            if kills <= given.flushes:
                redis.from_url(env["BROKER_URL"]).flushall()
            continue
        time.sleep(0.2)
        for worker in workers:
            if worker.process is not None and worker.process.poll() is not None:
                worker.start()
        if all(process.poll() is not None for process in queueing):  # they end when no row waits
            break
    return {"kills": kills, "seconds": time.monotonic() - began}


def await_calls(log: Path, count: int) -> bool:
    """Wait until the endpoint has received `count` more requests; return False if that takes too long."""
    wanted, until = len(log.read_bytes().splitlines()) + count, time.monotonic() + 20
    while time.monotonic() < until:
        if len(log.read_bytes().splitlines()) >= wanted:
            return True
        time.sleep(0.02)
    return False


if __name__ == "__main__":
    sys.exit(main())
