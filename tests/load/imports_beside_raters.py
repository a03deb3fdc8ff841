"""A large import while raters submit in another study and somebody asks for the sign-in page: how long they wait.

python -m tests.load.imports_beside_raters [--postgresql URL] [--ratings 300000] [--raters 4] [--pause 0.5]

Prints the longest wait, the 95th percentile and the statuses of pages and submissions, and what the database holds at
the end: all imported ratings, and each submission that a rater was told is saved.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.consistency import RACES
from tests.load.server import ROOT, Server, environment, own_database, run

LONGEST = 900.0
TOKEN = "0123456789abcdef0123456789abcdef"
PROBE_PAUSE = 0.05
PER_ITEM = 20
"""Ratings of an item: two outputs, two questions, five raters."""
STUDY = """
slug: imported
protocol: rating
redundancy: 1
questions:
  - {key: follows, type: binary}
  - {key: how_well, type: likert, min: 1, max: 5}
"""
ROWS = """
import json, django
django.setup()
from annotation.models import PendingImport, PendingRows, Rating
rows = Rating.objects.filter(study__slug="imported")
pending = PendingImport.objects.count() + PendingRows.objects.count()
print(json.dumps({"imported": rows.count(), "pending": pending}))
"""


@dataclass
class Visitor:
    """Somebody with one connection, and how each request was answered and after which wait."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)
    statuses: Counter = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    connection: http.client.HTTPConnection | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()

    def ask(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """Status and Location. A request without an answer counts as status 0."""
        began = time.monotonic()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.connection.request(method, path, None if fields is None else urlencode(fields), self.headers)
            response = self.connection.getresponse()
            response.read()
            status, where = response.status, response.getheader("Location") or ""
        except (OSError, http.client.HTTPException):
            self.close()
            self.connection, status, where = None, 0, ""
        self.waits.append(time.monotonic() - began)
        self.statuses[status] += 1
        return status, where


class Submitter(Visitor):
    """A rater who submits one answer after another, each with a line in the ledger once it is saved."""

    def work(self, study: str, ledger: Path, pause: float, over: threading.Event) -> None:
        with ledger.open("a", encoding="utf-8") as lines:
            where = ""
            while not over.wait(pause):
                if not where.startswith("/work/"):
                    _, where = self.ask("POST", f"/studies/{study}/next/", {})
                    continue
                key = str(uuid.uuid4())
                answer = {"q-follows": "true", "q-how_well": str(1 + int(key[0], 16) % 5)}
                fields = {"client_key": key, "revision": "0", **answer}
                while (found := self.ask("POST", f"{where}submit/", fields))[0] in (0, 503):  # as the page does
                    time.sleep(pause)
                if found[0] == 302:
                    lines.write(json.dumps({"client_key": key}) + "\n")
                where = found[1]


def probe(visitor: Visitor, over: threading.Event) -> None:
    """Ask for the sign-in page again and again."""
    while not over.wait(PROBE_PAUSE):
        visitor.ask("GET", "/sign-in/")


def write_study(folder: Path, ratings: int) -> None:
    """Write the folder of a study with so many ratings, rounded up to whole items."""
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    with (folder / "items.jsonl").open("w") as items, (folder / "ratings.jsonl").open("w") as lines:
        for number in range(-(-ratings // PER_ITEM)):
            outputs = [{"id": name, "text": f"Ferry {number} sails at {name}."} for name in ("nine", "ten")]
            items.write(json.dumps({"id": f"item-{number}", "document": "A text.", "outputs": outputs}) + "\n")
            for rater in range(PER_ITEM // 4):
                for output in ("nine", "ten"):
                    about = {"item": f"item-{number}", "output": output, "rater": f"rater-{rater}"}
                    lines.write(json.dumps(about | {"question": "follows", "value": rater > 1}) + "\n")
                    lines.write(json.dumps(about | {"question": "how_well", "value": 1 + number % 5}) + "\n")


def summary(visitors: list[Visitor]) -> dict[str, Any]:
    waits = sorted(wait for one in visitors for wait in one.waits)
    return {
        "requests": len(waits),
        "p95": round(waits[int(0.95 * (len(waits) - 1))], 3) if waits else None,
        "longest": round(waits[-1], 3) if waits else None,
        "statuses": dict(sum((one.statuses for one in visitors), Counter())),
    }


def trial(server_url: str | None, ratings: int, raters: int, pause: float, tasks: int) -> dict[str, Any]:
    """Import beside raters on a server and a database of its own, and compare."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = environment(stack.enter_context(own_database(server_url, folder)), folder)
        plan = json.loads(run(["-m", "tests.load.prepare", str(raters), str(tasks), "1"], env))
        write_study(folder / "imported", ratings)
        (folder / "ledgers").mkdir()
        server = Server(env, threads=16 if server_url else 8)
        stack.callback(server.end)
        server.start()
        over, page = threading.Event(), Visitor(server.port)
        people = [Submitter(server.port, _headers(session)) for session in plan["sessions"]]
        threads = [threading.Thread(target=probe, args=(page, over))]
        for number, person in enumerate(people):
            given = (plan["study"], folder / "ledgers" / f"rater-{number}.jsonl", pause, over)
            threads.append(threading.Thread(target=person.work, args=given))
        for thread in threads:
            thread.start()
        try:
            began = time.monotonic()
            told = import_beside(env, folder / "imported")
            seconds = time.monotonic() - began
        finally:
            over.set()
            for thread in threads:
                thread.join()
            for visitor in (page, *people):
                visitor.close()
        server.end()
        run(["manage.py", "checkdata", *sorted(RACES)], env)
        run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export")], env)
        ledgers, export = str(folder / "ledgers"), str(folder / "export")
        found = json.loads(run(["-m", "tests.load.compare", plan["study"], ledgers, export], env))
        return {
            "told": told, "seconds": round(seconds, 1), "sign_in_page": summary([page]), "raters": summary([*people]),
            **json.loads(run(["-c", ROWS], env)),
            **{name: found[name] for name in ("acknowledged", "stored", "exported", "lost", "unacknowledged")},
        }  # fmt: skip


def import_beside(env: dict[str, str], source: Path) -> str:
    """Import in a process of its own; what it printed."""
    importing = subprocess.Popen(
        [sys.executable, "manage.py", "import_study", str(source)], cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        told, _ = importing.communicate(timeout=LONGEST)
    finally:
        importing.kill()
        importing.wait()
    return told.strip()


def _headers(session: str) -> dict[str, str]:
    return {
        "Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": TOKEN,
        "Cookie": f"sessionid={session}; csrftoken={TOKEN}",
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which a database may be made; default SQLite")
    parser.add_argument("--ratings", type=int, default=300_000)
    parser.add_argument("--raters", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between a rater's requests")
    parser.add_argument("--tasks", type=int, default=1500, help="tasks of the study in which the raters submit")
    given = parser.parse_args()
    json.dump(trial(given.postgresql, given.ratings, given.raters, given.pause, given.tasks), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
