"""Potato's annotators for the load generator: what its page asks of its server for a task and an answer.

Copied as `drivers/potato.py` beside the generator; docs/measurements.md has the commands. The page asks for a few more
addresses (its scripts, one that says which task is shown), which are left out in Potato's favour.
"""

import re
from datetime import UTC, datetime
from typing import Any

SHOWN = re.compile(r'id="instance_id" name="instance_id" type="hidden" value="([^"]+)"')


class Driver:
    """One driver for all annotators; an annotator's own state is in `http.state`."""

    def __init__(self, opts: dict[str, str]) -> None:
        self.prefix = opts.get("prefix", "ann")

    def login(self, http: Any, index: int) -> None:
        http("POST", "/auth", form={"email": f"{self.prefix}{index}", "pass": ""}, ok=(302,))

    def fetch(self, http: Any) -> str | None:
        """The next item's key, or None when there is no work left."""
        page = http("GET", "/annotate", ok=(200, 302))
        found = SHOWN.search(page.text)
        return found.group(1) if found else None

    def submit(self, http: Any, item: str, number: int) -> None:
        chosen = http.state["rng"]
        labels = {"correct:" + chosen.choice(("yes", "no")): "1", f"quality:{chosen.randint(1, 5)}": "1"}
        answer = {
            "instance_id": item, "annotations": {**labels, "comment:text_box": f"comment {number}"},
            "cleared_schemas": [], "span_annotations": [], "client_timestamp": datetime.now(UTC).isoformat(),
            "response_time_seconds": 3,
        }  # fmt: skip
        told = http("POST", "/updateinstance", data=answer)
        if '"error"' in told.text:
            raise RuntimeError(told.text)
        http("POST", "/annotate", data={"action": "next_instance", "instance_id": item})

    def key(self, item: str) -> str:
        return item
