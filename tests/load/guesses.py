"""Guess passwords over HTTP while somebody reads pages; print the statuses of guesses and the times of pages.

python -m tests.load.guesses [--postgresql URL] --guesses 99 --seconds 20 [--names 99]
"""

import argparse
import http.client
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from tests.load.server import Server, environment, own_database, run

TOKEN = "0123456789abcdef0123456789abcdef"
CONNECTIONS = 8
PAUSE = 0.1


@dataclass
class Guessing:
    """Guesses over several connections, spread evenly over `seconds`."""

    port: int
    guesses: int
    seconds: float
    names: int
    connections: int = CONNECTIONS
    statuses: Counter = field(default_factory=Counter)
    number: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_number(self) -> int:
        with self.lock:
            self.number += 1
            return self.number - 1

    def guess(self, began: float) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {
            "Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={TOKEN}", "X-CSRFToken": TOKEN,
        }  # fmt: skip
        while (number := self.next_number()) < self.guesses:
            time.sleep(max(0.0, began + number * self.seconds / self.guesses - time.monotonic()))
            form = {"username": f"person-{number % self.names}", "password": f"guess number {number}"}
            connection.request("POST", "/sign-in/", urlencode(form), headers)
            response = connection.getresponse()
            response.read()
            with self.lock:
                self.statuses[response.status] += 1
        connection.close()

    def run(self) -> None:
        """Guess from all connections; returns when the last guess is answered."""
        began = time.monotonic()
        threads = [threading.Thread(target=self.guess, args=(began,)) for _ in range(self.connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def read_pages(port: int, session: str, over: threading.Event, times: list[float]) -> None:
    """Request the home page repeatedly, as a signed-in person."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not over.wait(PAUSE):
        began = time.monotonic()
        connection.request("GET", "/", headers={"Cookie": f"sessionid={session}"})
        response = connection.getresponse()
        response.read()
        assert response.status == 200, response.status
        times.append(time.monotonic() - began)
    connection.close()


def summary(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "pages": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 3),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 3),
        "max": round(ordered[-1], 3),
    }


def pages_during(port: int, session: str, seconds: float, guessing: Guessing | None) -> dict[str, float]:
    """Return how long pages take while `guessing` runs, or for `seconds` without it."""
    times: list[float] = []
    over = threading.Event()
    reader = threading.Thread(target=read_pages, args=(port, session, over, times))
    reader.start()
    if guessing is None:
        time.sleep(seconds)
    else:
        guessing.run()
    over.set()
    reader.join()
    return summary(times)


def measure(server_url: str | None, guesses: int, seconds: float, names: int) -> dict:
    """Start a server on a new database, and measure pages without and with guesses."""
    with tempfile.TemporaryDirectory() as name, own_database(server_url, Path(name)) as database:
        env = environment(database, Path(name))
        plan = json.loads(run(["-m", "tests.load.prepare", "2", "2", "1"], env))
        server = Server(env)
        server.start()
        try:
            guessing = Guessing(server.port, guesses, seconds, names)
            quiet = pages_during(server.port, plan["sessions"][1], 5, None)
            began = time.monotonic()
            during = pages_during(server.port, plan["sessions"][1], seconds, guessing)
            took = time.monotonic() - began
        finally:
            server.end()
    return {"quiet": quiet, "during": during, "seconds": round(took, 1), "statuses": dict(guessing.statuses)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--guesses", type=int, default=99)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--names", type=int, default=1, help="number of different user names to try")
    given = parser.parse_args()
    json.dump(measure(given.postgresql, given.guesses, given.seconds, given.names), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
