"""Which workers are alive, by their own account: so that pages say so where none is."""

import os
import socket
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from config.models import Worker

ALIVE = timedelta(seconds=25)
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True)
class Situation:
    """Whether some worker takes `calls`, some takes `jobs`, and all that are alive reach the broker."""

    calls: bool
    jobs: bool
    broker: bool

    @property
    def well(self) -> bool:
        return self.calls and self.jobs and self.broker

    @property
    def code(self) -> str:
        """The situation in three letters at most, so that a page can ask whether it is still so."""
        return (
            "".join(letter for letter, holds in zip("cjb", (self.calls, self.jobs, self.broker), strict=True) if holds)
            or "none"
        )


def situation() -> Situation:
    """What the workers said in the last seconds."""
    alive = list(Worker.objects.filter(seen_at__gte=timezone.now() - ALIVE))
    served = {queue for worker in alive for queue in worker.queues.split(",")}
    return Situation("calls" in served, "jobs" in served, all(worker.reaches_broker for worker in alive))


def worker_name(queues: tuple[str, ...]) -> str:
    return f"{socket.gethostname()}:{os.getpid()}:{','.join(queues)}"


def report_alive(name: str, queues: tuple[str, ...], reaches_broker: bool) -> None:
    """A worker's sign of life."""
    now = timezone.now()
    said = {"queues": ",".join(queues), "seen_at": now, "reaches_broker": reaches_broker}
    if not Worker.objects.filter(name=name).update(**said):
        Worker.objects.create(name=name, started_at=now, **said)
    Worker.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def report_end(name: str) -> None:
    """A worker's last word."""
    Worker.objects.filter(name=name).delete()
