"""Which workers are alive, by their heartbeats. Pages show a notice if one is missing."""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta

from config.clock_skew import clock_skew
from config.database_clock import database_now
from config.models import Worker

ALIVE = timedelta(seconds=25)
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True)
class WorkerStatus:
    """Whether a worker serves `calls`, one serves `jobs`, and all living workers reach the broker."""

    calls: bool
    jobs: bool
    broker: bool

    @property
    def healthy(self) -> bool:
        return self.calls and self.jobs and self.broker

    @property
    def code(self) -> str:
        """The status in at most three letters, with which a page asks whether it has changed."""
        return (
            "".join(letter for letter, holds in zip("cjb", (self.calls, self.jobs, self.broker), strict=True) if holds)
            or "none"
        )


def worker_status() -> WorkerStatus:
    """Return the status from the heartbeats of the last seconds."""
    alive = list(Worker.objects.filter(seen_at__gte=database_now() - ALIVE))
    served = {queue for worker in alive for queue in worker.queues.split(",")}
    return WorkerStatus("calls" in served, "jobs" in served, all(worker.reaches_broker for worker in alive))


def worker_name(queues: tuple[str, ...]) -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{','.join(queues)}"


def report_alive(name: str, queues: tuple[str, ...], reaches_broker: bool) -> None:
    """Store a worker's heartbeat."""
    now = database_now()
    fields = {
        "queues": ",".join(queues), "seen_at": now, "reaches_broker": reaches_broker,
        "clock_skew": clock_skew().total_seconds(),
    }  # fmt: skip
    if not Worker.objects.filter(name=name).update(**fields):
        Worker.objects.create(name=name, started_at=now, **fields)
    Worker.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def report_end(name: str) -> None:
    """Remove a worker that ends."""
    Worker.objects.filter(name=name).delete()
