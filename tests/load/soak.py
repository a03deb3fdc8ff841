"""A day of an installation in minutes, and whether its processes grow: memory and open files of each.

    python -m tests.load.soak [--minutes 20] [--postgresql URL]

Annotators read and answer tasks without pauses, while others sign in, and a researcher reads pages and the report
and makes exports; sessions of people who sign in again and again, and the workers' upkeep, go on meanwhile.

The first quarter is warm-up. The rest is cut in three parts. It ends with code 1 if a process that lived through all
of them grew in each: its median memory from part to part, and in sum by more than 5 MiB; or its least number of open
files by more than 8 in sum; or if a request failed.

Memory is PSS without mapped files (`Pss_Anon`): on SQLite a process maps up to 128 MiB of the database, so what it has
mapped grows with the study, but the kernel takes those pages back when it needs memory.
"""

import argparse
import http.client
import json
import os
import re
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from benchmarks.memory import processes, pss
from tests.load.annotators import Annotator
from tests.load.engine import Process, own_redis
from tests.load.server import Server, environment, own_database, run

EVERY = 3.0
MOST_MIB, MOST_FILES = 5.0, 8
RATERS, TASKS_PER_MINUTE = 4, 1500
PASSWORD = "a long password of the soak"
MAKE = f"""
import json, django
django.setup()
from accounts.models import Person
from annotation.models import Study
from tests.load.prepare import signed_in
owner = Person.objects.create_superuser("researcher", password={PASSWORD!r})
print(json.dumps(signed_in(owner)))
"""


@dataclass
class Watch:
    """Samples of each process: its memory in MiB and its open files."""

    roots: dict[str, int]
    memory: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    files: dict[tuple[str, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    rounds: int = 0

    def sample(self) -> None:
        self.rounds += 1
        for name, root in self.roots.items():
            for pid, depth, _ in processes(root):
                key = (f"{name}{depth}", pid)
                try:
                    size, files = pss(pid, "Pss_Anon"), len(os.listdir(f"/proc/{pid}/fd"))
                except (OSError, TypeError):  # it has just ended
                    continue
                self.memory[key].append(size)
                self.files[key].append(files)


def parts(samples: list[float]) -> list[list[float]]:
    """The samples after the warm-up, in three parts."""
    left = samples[len(samples) // 4 :]
    third = max(1, len(left) // 3)
    return [left[:third], left[third : 2 * third], left[2 * third :]]


def grows(memory: list[float], files: list[int]) -> list[str]:
    """What of a process grows steadily after the warm-up."""
    told = []
    for what, of_parts, most in (
        ("MiB", [median(one) for one in parts(memory)], MOST_MIB),
        ("open files", [float(min(one)) for one in parts([float(one) for one in files])], MOST_FILES),
    ):
        first, second, third = of_parts
        if first < second < third and third - first > most:
            told.append(f"{first:.1f} → {second:.1f} → {third:.1f} {what}")
    return told


@dataclass
class Visitor:
    """Somebody who sends requests until the end; failures are counted by status."""

    port: int
    ends: float
    statuses: Counter[str] = field(default_factory=Counter)

    def send(self, method: str, path: str, fields: dict[str, str] | None = None, cookies: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            body = urlencode(fields) if fields else None
            headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            response.read()
            self.statuses[str(response.status)] += 1
            return response.status, "; ".join(response.headers.get_all("Set-Cookie") or [])
        except (OSError, http.client.HTTPException) as problem:
            self.statuses[type(problem).__name__] += 1
            return 0, ""
        finally:
            connection.close()

    def until_the_end(self, step: Callable[[], None], pause: float) -> None:
        while time.monotonic() < self.ends:
            step()
            time.sleep(pause)

    def sign_in(self) -> None:
        """Sign in with a new browser, and leave the session behind."""
        token = "0123456789abcdef0123456789abcdef"
        fields = {"username": "researcher", "password": PASSWORD, "csrfmiddlewaretoken": token}
        self.send("POST", "/sign-in/", fields, f"csrftoken={token}")

    def research(self, session: str) -> None:
        token = "0123456789abcdef0123456789abcdef"
        cookies = f"sessionid={session}; csrftoken={token}"
        for path in ("/", "/studies/load/report/", "/studies/load/items/", "/admin/"):
            self.send("GET", path, None, cookies)


def soak(minutes: float, postgresql: str | None) -> int:
    """Start everything, let people work, and say what grew."""
    with ExitStack() as stack:
        made = tempfile.TemporaryDirectory(prefix="interrater-soak-", ignore_cleanup_errors=True)  # work that ends late
        folder = Path(stack.enter_context(made))
        env = environment(stack.enter_context(own_database(postgresql, folder)), folder)
        if postgresql:
            env["BROKER_URL"] = stack.enter_context(own_redis(folder))
        plan = json.loads(
            run(["-m", "tests.load.prepare", str(RATERS), str(int(TASKS_PER_MINUTE * minutes)), "2"], env)
        )
        session = json.loads(run(["-c", MAKE], env))
        server = Server(env, workers=2, threads=4)
        worker = Process(["config.worker", "calls", "jobs"], env, folder / "w")
        stack.callback(server.end)
        stack.callback(worker.kill)
        server.start()
        worker.start()
        plan |= {"port": server.port, "ledgers": str(folder), "protocol": "rating", "answers": 10**9}
        roots = {"web": server.process.pid, "workers": worker.process.pid}
        return report(*work(minutes, plan, session, roots, folder, env))


def work(minutes, plan, session, roots, folder, env):
    ends = time.monotonic() + 60 * minutes
    raters = [Annotator(plan, number) for number in range(RATERS)]
    visitor, watch = Visitor(plan["port"], ends), Watch(roots)

    def export() -> None:
        out = folder / f"export{time.monotonic_ns()}"
        run(["manage.py", "export_study", "load", "--out", str(out), "--data-only"], env)

    for rater in raters:
        rater.deadline = ends
    threads = [threading.Thread(target=rater.guarded, daemon=True) for rater in raters]
    for step, pause in ((visitor.sign_in, 1.0), (lambda: visitor.research(session), 0.5), (export, 15.0)):
        threads.append(threading.Thread(target=visitor.until_the_end, args=(step, pause), daemon=True))
    for thread in threads:
        thread.start()
    while time.monotonic() < ends:
        watch.sample()
        time.sleep(EVERY)
    for thread in threads:
        thread.join(60)
    return raters, visitor, watch


def report(raters: list[Annotator], visitor: Visitor, watch: Watch) -> int:
    answers = sum(len(rater.times) for rater in raters)
    errors = [error for rater in raters for error in rater.errors if "TimeoutError" not in error]
    wrong = {status: number for status, number in visitor.statuses.items() if not re.fullmatch("[23]..|429", status)}
    print(f"{answers} answers; other requests by status: {dict(visitor.statuses)}; failed: {wrong} {errors[:3]}")
    grown = 0
    for key, memory in sorted(watch.memory.items()):
        lived = len(memory) >= 0.9 * watch.rounds
        told = grows(memory, watch.files[key]) if lived else []
        grown += len(told)
        middles = " ".join(f"{median(part):6.1f}" for part in parts(memory) if part)
        said = told if lived else "replaced"
        print(f"{key[0]:10} {key[1]:8} MiB {middles}  files {watch.files[key][-1]:3}  {said or ''}")
    return 1 if grown or wrong or errors or not answers else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    given = parser.parse_args()
    return soak(given.minutes, given.postgresql)


if __name__ == "__main__":
    sys.exit(main())
