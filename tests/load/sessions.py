"""Many revision sessions at once, while workers may be killed, and what came of them.

    python -m tests.load.sessions [--postgresql URL] --people 50 --turns 2 --delay 5 [--kills 20] [--in-flight 16]

With `--postgresql` it runs on a new database on that server with a Redis of its own, otherwise on SQLite with the
embedded broker. The endpoint streams its answers. At the end it compares what the server acknowledged to people with
the database and the export.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.consistency import RACES
from tests.load.calls import await_calls
from tests.load.engine import Process, endpoints_file, own_redis, scripted_server
from tests.load.server import ROOT, Server, environment, own_database, run

LONGEST = 500.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--delay", type=float, default=5.0, help="seconds that the endpoint takes for an answer")
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--web-workers", type=int, default=1)
    parser.add_argument("--spread", type=float, default=0.0, help="seconds over which people arrive (0: all at once)")
    parser.add_argument("--think", type=float, default=0.0, help="seconds that people take per step")
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(trial(parser.parse_args()), indent=1))
    return 0


def trial(given: argparse.Namespace) -> dict[str, Any]:
    """Start everything, let people work, kill workers, and compare the results."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(own_database(given.postgresql, folder))
        env = environment(database, folder) | {
            "CALL_THREADS": str(given.threads),
            "LOG_LEVEL": "WARNING",
            "CALL_LEASE": "8",
        }
        if given.postgresql:
            env["BROKER_URL"] = stack.enter_context(own_redis(folder))
        served = stack.enter_context(scripted_server(folder, given.delay / 2, pause=given.delay / 20))
        endpoints_file(folder / "endpoints.yaml", served.address, given.in_flight)
        plan = json.loads(
            run(
                ["-m", "tests.load.sessions_rows", "make", str(given.people), str(given.turns), str(folder / "study")],
                env,
            )
        )
        server = Server(env, workers=given.web_workers, threads=16 if given.postgresql else 8)
        stack.callback(server.end)
        server.start()
        workers = [Process(["config.worker", queue], env, folder / f"{queue}.log") for queue in ("jobs", "calls")]
        for worker in workers:
            stack.callback(worker.kill)
            worker.start()
        (folder / "ledgers").mkdir()
        asked_of_people = {
            "port": server.port, "ledgers": str(folder / "ledgers"), "spread": given.spread, "think": given.think,
        }  # fmt: skip
        (folder / "plan.json").write_text(json.dumps({**plan, **asked_of_people}))
        told, kills = watch(given, folder, env, workers[1], served.log)
        run(["manage.py", "checkdata", *sorted(RACES)], env)
        run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export")], env)
        ledgers, export = str(folder / "ledgers"), str(folder / "export")
        found = json.loads(run(["-m", "tests.load.sessions_rows", "compare", ledgers, export], env))
        asked = json.load(urllib.request.urlopen(served.address))
        return {"kills": kills, **told, **found, "endpoint": {name: asked[name] for name in ("calls", "most_at_once")}}


def watch(
    given: argparse.Namespace, folder: Path, env: dict[str, str], worker: Process, log: Path
) -> tuple[dict[str, Any], int]:
    """Let people work, and kill the worker for calls each time the endpoint has received a few more requests."""
    random.seed(given.seed)
    people = subprocess.Popen(
        [sys.executable, "-m", "tests.load.writers", str(folder / "plan.json")], cwd=ROOT, env=env,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    kills, until = 0, time.monotonic() + LONGEST
    while kills < given.kills and people.poll() is None and time.monotonic() < until:
        if await_calls(log, random.randrange(1, 6)):
            time.sleep(random.uniform(0, given.delay))
            worker.kill()
            worker.start()
            kills += 1
    out, _ = people.communicate(timeout=max(until - time.monotonic(), 1))
    return json.loads(out), kills


if __name__ == "__main__":
    sys.exit(main())
