"""Runs a scripted server in a thread of this process, for tests and drills."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from llm.scripted.script import ScriptStep
from llm.scripted.server import ScriptedServer


@contextmanager
def serving(*steps: ScriptStep, log: Path | None = None) -> Iterator[ScriptedServer]:
    """Run a server on a free port until the block ends."""
    with ScriptedServer(0, steps or (ScriptStep(),), log) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.ending.set()
            server.shutdown()
            thread.join(5)
