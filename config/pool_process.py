"""A process that computes for a worker: it ends with that worker, and after work when there is no more for a while.

Computing loads libraries and fills memory that Python does not give back. The worker forks a new process at once, which
shares the memory of the worker again.
"""

import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

from billiard.pool import EX_RECYCLE
from celery.signals import task_postrun, task_prerun

CHECK_EVERY = 1.0
RESTED = 60.0
"""Seconds without work after which a process that has worked is replaced."""


class PoolProcess:
    """What this process does for its pool."""

    def __init__(self, rested: float = RESTED) -> None:
        self.rested = rested
        self.working = False
        self.worked_until: float | None = None

    def watch(self) -> None:
        """Watch, from now on, whether the worker still runs and whether there is work."""
        signal.set_wakeup_fd(-1)  # its signals are not the worker's
        signal.signal(signal.SIGURG, self.end_if_rested)
        task_prerun.connect(self.begin, weak=False)
        task_postrun.connect(self.finish, weak=False)
        threading.Thread(target=self.look, args=(os.getppid(),), name="parent", daemon=True).start()

    def begin(self, **about: Any) -> None:
        self.working = True

    def finish(self, **about: Any) -> None:
        self.working, self.worked_until = False, time.monotonic()

    @property
    def has_rested(self) -> bool:
        """Whether it has worked, and not for a while."""
        return not self.working and self.worked_until is not None and time.monotonic() - self.worked_until > self.rested

    def look(self, parent: int) -> None:
        """End this process as soon as its parent is gone; ask its main thread to end it when it has rested."""
        while os.getppid() == parent:
            time.sleep(CHECK_EVERY)
            if self.has_rested:
                os.kill(os.getpid(), signal.SIGURG)  # does nothing by default, and the pool leaves it to us
        os._exit(1)

    def end_if_rested(self, number: int, frame: FrameType | None) -> None:
        """End the main thread, which waits for work; if work has come meanwhile, do that.

        A message that arrives in this very moment is lost with the process: the worker gives it to the next one.
        """
        if self.has_rested:
            self.worked_until = None
            sys.exit(EX_RECYCLE)
