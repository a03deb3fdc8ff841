"""Annotators that fetch each page and answer it over HTTP, each with a ledger.

    python -m tests.load.annotators PLAN.json

As `tests.load.raters`, but they also read the pages, as a browser does, and stop after the plan's number of answers.
They answer at once, or think first: the plan's `think` seconds, and up to half as long more or less.
"""

import json
import random
import re
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

from tests.load.raters import Rater

HIDDEN = re.compile(r'name="(revision|guidelines_version)" value="([^"]*)"')


def answers(protocol: str, draw: random.Random) -> dict[str, str]:
    """A form's answers to the questions of `tests.load.imported_studies`."""
    if protocol == "listwise":
        ranks = draw.sample(["1", "2", "3"], 3)
        return {**{f"q-overall-{letter}": rank for letter, rank in zip("ABC", ranks, strict=True)}, "q-comment": "Yes."}
    if protocol == "pairwise":
        return {"q-better": draw.choice(("A", "B", "tie"))}
    return {"q-follows": draw.choice(("true", "false")), "q-how_well": str(draw.randint(1, 5)), "q-comment": "Yes."}


class Annotator(Rater):
    """One person's browser that reads the pages of tasks."""

    def __init__(self, plan: dict[str, Any], number: int) -> None:
        super().__init__(plan, number)
        self.draw = random.Random(number)
        self.fetches: list[float] = []

    def fetch(self, where: str | None) -> tuple[str, dict[str, str]] | None:
        """Get the next task's page, after asking for one if none is known; its path and hidden fields, or None."""
        began = time.perf_counter()
        if where is None:
            _, where, _ = self.send("POST", f"/studies/{self.plan['study']}/next/", {})
        if not where.startswith("/work/"):
            return None
        status, _, page = self.send("GET", where)
        self.fetches.append(time.perf_counter() - began)
        if status != 200:
            self.errors.append(f"{status} for a page")
            return None
        return where, dict(HIDDEN.findall(page.decode()))

    def answer(self, path: str, hidden: dict[str, str]) -> str | None:
        """Submit an answer to the task at `path` and write it down; where to go next, None after an error."""
        client_key = str(uuid.uuid4())
        form = {"revision": "0", **hidden, "client_key": client_key, **answers(self.plan["protocol"], self.draw)}
        began = time.perf_counter()
        status, where, _ = self.send("POST", f"{path}submit/", form)
        self.times.append(time.perf_counter() - began)
        if status != 302:
            self.errors.append(f"{status} for an answer")
            return None
        self.ledger.write(json.dumps({"client_key": client_key, "assignment": path.split("/")[2]}) + "\n")
        self.ledger.flush()
        return where

    def work(self) -> None:
        where, think = None, self.plan.get("think", 0.0)
        time.sleep(self.draw.uniform(0, think))  # people do not all come in one second
        for _ in range(self.plan["answers"]):
            task = self.fetch(where)
            if task is None:
                return
            time.sleep(self.draw.uniform(0.5, 1.5) * think)
            where = self.answer(*task)
            if where is None:
                return


def milliseconds(times: list[float], share: float) -> int | None:
    """The time below which this share of all lies; None without any."""
    return round(1000 * sorted(times)[min(int(len(times) * share), len(times) - 1)]) if times else None


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    people = [Annotator(plan, number) for number in range(len(plan["sessions"]))]
    threads = [threading.Thread(target=person.guarded) for person in people]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    fetches = [one for person in people for one in person.fetches]
    submits = [one for person in people for one in person.times]
    print(
        json.dumps(
            {
                "per_second": round(len(submits) / seconds, 1),
                "next_p50": milliseconds(fetches, 0.5),
                "submit_p50": milliseconds(submits, 0.5),
                "next_p95": milliseconds(fetches, 0.95),
                "submit_p95": milliseconds(submits, 0.95),
                "longest": milliseconds(fetches + submits, 1.0),
                "sent_again": sum(sum(person.refused.values()) for person in people),
                "errors": [error for person in people for error in person.errors],
            }
        )
    )


if __name__ == "__main__":
    main()
