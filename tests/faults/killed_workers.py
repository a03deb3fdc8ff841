"""Workers that are killed while they call a model; afterwards each call has one result, and none was paid twice."""

import shutil
from argparse import Namespace
from typing import Any

from tests.load.calls import trial

ROWS = "calls_rows"


def missing_broker() -> str:
    """Say that Redis is not installed; "" if it is."""
    return "" if shutil.which("redis-server") else "redis-server is missing: sudo apt install redis-server"


def kill_workers(server_url: str | None, calls: int, kills: int) -> tuple[dict[str, Any], list[str]]:
    """Make calls, kill workers at random moments; return what was found, and what of it is wrong."""
    found = trial(
        Namespace(
            postgresql=server_url, calls=calls, kills=kills, deaths=0, flushes=0, delay=0.2, workers=2, threads=4,
            in_flight=8, seed=1, rows=[ROWS],
        )
    )  # fmt: skip
    of_calls = found[ROWS]
    ended = {status: number for status, number in of_calls["rows"].items() if status in ("done", "failed")}
    wrong = [*map(str, of_calls["wrong"]), *found["errors_logged"]]
    for name, value, expected in (
        ("kills", found["kills"], kills),
        ("calls that ended in a result or a reason", sum(ended.values()), calls),
        ("paid after an answer", of_calls["paid_after_an_answer_was_recorded"], 0),
    ):
        if value != expected:
            wrong.append(f"{name}: {value}, not {expected}")
    if ended.get("failed", 0) > max(1, kills // 10):
        wrong.append(f"{ended['failed']} calls have no result")
    return found, wrong
