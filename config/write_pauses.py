"""Long work on SQLite in short steps, so that others can write in between.

SQLite lets one transaction write at a time. A writer that waits for the lock asks again at growing intervals, the
longest of which is 100 ms, and gets it only if it is free at that moment. So a long piece of work writes for about
`STEP_SECONDS` and then stays away for longer than that interval: everybody who waits gets a turn.
"""

import time

from django.db import connection

STEP_SECONDS = 0.25
PAUSE_SECONDS = 0.12


class WritePauses:
    """The pauses of one piece of long work, which calls `take` after each of its transactions."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def take(self) -> None:
        """Let others write if this work has been writing for long enough. Does nothing on PostgreSQL."""
        if connection.vendor != "sqlite" or connection.in_atomic_block:
            return
        if time.monotonic() - self._since >= STEP_SECONDS:
            time.sleep(PAUSE_SECONDS)
            self._since = time.monotonic()
