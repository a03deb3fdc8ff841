"""Raters that work over HTTP, each with a ledger: a file of what the server acknowledged.

    python -m tests.load.raters PLAN.json

The plan names the server, the people's session keys and the folder of the ledgers. Every rater works in a thread of its
own until there are no more tasks. A request without a response is sent again unchanged. If faults happen meanwhile,
raters who have given half their share slow down until the last one is over, so that all happen while they work.
"""

import http.client
import json
import sys
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

TOKEN = "0123456789abcdef0123456789abcdef"
LONGEST = 900
OVER = "fault-is-over"
"""The file beside the ledgers that says so."""
OUTAGES = (503, 507)


class Rater:
    """One person's browser, without the pages."""

    def __init__(self, plan: dict, number: int) -> None:
        self.plan, self.number = plan, number
        self.ledger = open(Path(plan["ledgers"]) / f"rater-{number}.jsonl", "a", encoding="utf-8")  # noqa: SIM115
        self.connection: http.client.HTTPConnection | None = None
        self.began = time.monotonic()
        self.deadline = self.began + LONGEST
        self.times: list[float] = []
        self.errors: list[str] = []
        self.refused: Counter[str] = Counter()
        """Requests that were sent again, by the status that refused them; "none" without any answer."""

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str]:
        """Return status and Location of a POST."""
        status, location, _ = self.send("POST", path, fields)
        return status, location

    def send(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, bytes]:
        """Return status, Location and body of a request, sent again unchanged until the server answers."""
        body = None if fields is None else urlencode(fields)
        headers = {"Cookie": f"sessionid={self.plan['sessions'][self.number]}; csrftoken={TOKEN}"}
        if body is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": TOKEN}
        while time.monotonic() < self.deadline:
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.plan["port"], timeout=30)
                self.connection.request(method, path, body, headers)
                response = self.connection.getresponse()
                page = response.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                self.refused["none"] += 1
                time.sleep(0.1)
                continue
            if response.status in OUTAGES:  # busy: everybody claims at once, or a fault
                self.refused[str(response.status)] += 1
                if b"<h1>" not in page or not response.getheader("Retry-After"):
                    self.errors.append(f"{response.status} without a page: {page[:80]!r}")
                time.sleep(0.05)
                continue
            return response.status, response.getheader("Location") or "", page
        raise TimeoutError(path)

    def work(self) -> None:
        status, where = self.post(f"/studies/{self.plan['study']}/next/", {})
        while where.startswith("/work/") and time.monotonic() < self.deadline:
            key = where.split("/")[2]
            client_key = str(uuid.uuid4())
            answer = {"q-follows": "true", "q-how_well": str(1 + int(client_key[0], 16) % 5)}
            began = time.perf_counter()
            status, where = self.post(f"{where}submit/", {"client_key": client_key, "revision": "0", **answer})
            self.times.append(time.perf_counter() - began)
            if status != 302:
                self.errors.append(f"{status} at {key}")
                return
            self.ledger.write(json.dumps({"client_key": client_key, "assignment": key, "answer": answer}) + "\n")
            self.ledger.flush()
            self._linger()
        if status != 302:
            self.errors.append(f"{status} at the end")

    def _linger(self) -> None:
        """Leave places for the time until faults are over: each answer beyond half a share takes longer and longer."""
        if not self.plan.get("fault"):
            return
        share = self.plan["places"] / len(self.plan["sessions"])
        if len(self.times) > share / 2 and not (Path(self.plan["ledgers"]) / OVER).exists():
            time.sleep(6 * (time.monotonic() - self.began) / share)

    def guarded(self) -> None:
        try:
            self.work()
        except Exception as problem:  # noqa: BLE001 - the edge of a thread: reported in the output
            self.errors.append(repr(problem))
        finally:
            self.ledger.close()


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    raters = [Rater(plan, number) for number in range(len(plan["sessions"]))]
    threads = [threading.Thread(target=rater.guarded) for rater in raters]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    times = sorted(t for rater in raters for t in rater.times)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - began,
                "submissions": len(times),
                "p50": times[len(times) // 2] if times else None,
                "p95": times[int(0.95 * (len(times) - 1))] if times else None,
                "slowest": times[-1] if times else None,
                "refused": sum((rater.refused for rater in raters), Counter()),
                "errors": [error for rater in raters for error in rater.errors],
            }
        )
    )


if __name__ == "__main__":
    main()
