"""People in revision sessions over HTTP, each with a ledger of what the server acknowledged.

    python -m tests.load.writers PLAN.json

The plan names the server, the people's session keys, the number of turns each takes, and the folder of the ledgers.
Each person opens the study, then for each turn sends an instruction, polls as the page does, retries what failed, and
rates. After the last turn, the person submits the answer.
"""

import html
import http.client
import json
import random
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

TOKEN = "0123456789abcdef0123456789abcdef"
LONGEST = 400
FORM = re.compile(r'<form id="answer".*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
KINDS = ("information", "style")
RATINGS = ("good", "neutral", "bad")


class Writer:
    """One person's browser, without images."""

    def __init__(self, plan: dict[str, Any], number: int) -> None:
        self.plan, self.number = plan, number
        self.ledger = open(Path(plan["ledgers"]) / f"writer-{number}.jsonl", "a", encoding="utf-8")  # noqa: SIM115
        self.connection: http.client.HTTPConnection | None = None
        self.deadline = time.monotonic() + LONGEST
        self.times: dict[str, list[float]] = {"page": [], "writing": [], "step": []}
        self.errors: list[str] = []
        self.retries = 0

    def ask(self, kind: str, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, str]:
        """Return status, Location and body of a request, sent again until the server answers."""
        headers = {"Cookie": f"sessionid={self.plan['sessions'][self.number]}; csrftoken={TOKEN}"}
        if fields is not None:
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": TOKEN}
        while time.monotonic() < self.deadline:
            began = time.perf_counter()
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.plan["port"], timeout=30)
                body = None if fields is None else urlencode(fields)
                self.connection.request("GET" if fields is None else "POST", path, body, headers)
                response = self.connection.getresponse()
                text = response.read().decode()
            except (OSError, http.client.HTTPException):
                self.connection = None
                time.sleep(0.1)
                continue
            self.times[kind].append(time.perf_counter() - began)
            if response.status == 503:
                time.sleep(0.1)
                continue
            return response.status, urlsplit(response.getheader("Location") or "").path, text
        raise TimeoutError(path)

    def open(self) -> str:
        """Return the path of the session's page."""
        _, where, _ = self.ask("step", f"/studies/{self.plan['study']}/next/", {})
        if "welcome" in where:
            _, where, _ = self.ask("step", where, {})
        while where and not where.startswith("/sessions/"):
            _, where, _ = self.ask("page", where)
        return where

    def pause(self, seconds: float) -> None:
        """Wait as somebody does who reads and thinks: between 0.5 and 1.5 times `seconds`."""
        time.sleep(seconds * random.uniform(0.5, 1.5))

    def work(self) -> None:
        time.sleep(self.plan["spread"] * self.number / len(self.plan["sessions"]))
        where = self.open()
        turns = 0
        while time.monotonic() < self.deadline:
            status, moved, page = self.ask("page", where + ("?send=1" if turns == self.plan["turns"] else ""))
            found = FORM.search(page)
            if status != 200 or found is None:
                if turns < self.plan["turns"]:
                    self.errors.append(f"{status} {moved} after {turns} turns")
                return
            hidden = {name: html.unescape(value) for name, value in HIDDEN.findall(found[0])}
            step = hidden["step"]
            if step == "stop":
                self.wait(where)
                continue
            if step == "instruct":
                hidden |= {"q-:instruction": f"Instruction {turns + 1} of writer {self.number}, shorten it, please.",
                           "q-:kind": KINDS[turns % 2]}  # fmt: skip
            if step == "rate":
                hidden |= {"q-rating": RATINGS[(turns + self.number) % 3], "q-comment": f"Comment {turns + 1}."}
            self.pause(self.plan["think"])
            status, _, answer = self.ask("step", f"{where}step/", hidden)
            if status != 302:
                self.errors.append(f"{status} for {step} at turn {hidden['turn']}: {told(answer)}")
                return
            self.note(where, hidden)
            self.retries += step == "retry"
            turns += step == "rate"
            if step == "finish":
                return
        self.errors.append("not over in time")

    def note(self, where: str, hidden: dict[str, str]) -> None:
        kept = {name: hidden[name] for name in ("step", "turn", "q-:instruction", "q-:kind", "q-rating", "q-comment")
                if name in hidden}  # fmt: skip
        self.ledger.write(json.dumps({"session": where.split("/")[2], **kept}) + "\n")
        self.ledger.flush()

    def wait(self, where: str) -> None:
        while time.monotonic() < self.deadline:
            time.sleep(1)
            status, _, text = self.ask("writing", f"{where}writing/")
            if status != 200 or 'data-over="yes"' in text:
                return

    def guarded(self) -> None:
        try:
            self.work()
        except Exception as problem:  # noqa: BLE001 - the edge of a thread: reported in the output
            self.errors.append(repr(problem))
        finally:
            self.ledger.close()


def told(page: str) -> str:
    """Return the error messages on a page."""
    found = re.findall(r'class="(?:field-error|notice[^"]*|desk-message)"[^>]*>([^<]+)', page)
    return " ".join(" ".join(found).split())[:200]


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    writers = [Writer(plan, number) for number in range(len(plan["sessions"]))]
    threads = [threading.Thread(target=writer.guarded) for writer in writers]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures: dict[str, dict[str, int]] = {}
    for kind in ("page", "writing", "step"):
        times = sorted(seconds for writer in writers for seconds in writer.times[kind])
        at = {share: times[min(int(len(times) * share / 100), len(times) - 1)] for share in (50, 95, 100) if times}
        figures[kind] = {"requests": len(times)} | {f"p{share}_ms": round(1000 * at[share]) for share in at}
    print(json.dumps({
        "people": len(writers), "seconds": round(time.perf_counter() - began, 1), **figures,
        "retries": sum(writer.retries for writer in writers),
        "errors": [error for writer in writers for error in writer.errors],
    }))  # fmt: skip


if __name__ == "__main__":
    main()
