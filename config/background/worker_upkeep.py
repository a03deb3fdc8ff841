"""A thread in each worker's main process that sends heartbeats, sweeps, and runs periodic upkeep."""

import logging
import threading
from typing import Any

from celery import Celery, bootsteps
from django.db import DatabaseError, close_old_connections, connections
from kombu.exceptions import OperationalError

from config.background.kinds import QUEUES, sweeps
from config.background.sweeping import sweep
from config.background.workers import report_alive, report_end, worker_name

logger = logging.getLogger(__name__)
EVERY = 1.0
HEARTBEAT_EVERY = 5


class WorkerUpkeep(bootsteps.StartStopStep):
    """Starts and stops the thread with the worker."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.ending = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, parent: Any) -> None:
        queues = tuple(queue for queue in QUEUES if queue in parent.app.amqp.queues.consume_from)
        self.thread = threading.Thread(
            target=run_upkeep, args=(parent.app, queues, self.ending), name="upkeep", daemon=True
        )
        self.thread.start()

    def stop(self, parent: Any) -> None:
        self.ending.set()
        if self.thread is not None:
            self.thread.join(timeout=5)

    terminate = stop


def reaches_broker(app: Celery) -> bool:
    """Whether the broker accepts a connection within a few seconds."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            _ = connection.default_channel
    except (OperationalError, OSError):
        return False
    return True


def run_upkeep(app: Celery, queues: tuple[str, ...], ending: threading.Event) -> None:
    """Sweep every second and send a heartbeat every fifth, until `ending` is set. Errors are logged and survived."""
    name, turn, reached = worker_name(queues), 0, True
    while True:
        try:
            close_old_connections()
            if turn % HEARTBEAT_EVERY == 0:
                reached = reaches_broker(app)
                report_alive(name, queues, reached)
            if reached:
                _, reached = sweep(queues)
            for upkeep in sweeps().values():
                if turn % upkeep.every == 0:
                    upkeep.run()
        except DatabaseError as problem:
            logger.warning("Upkeep waits because the database cannot be used (%s)", " ".join(str(problem).split()))
        except Exception:  # any error: without upkeep the worker would look dead and lost rows would stay lost
            logger.exception("Upkeep continues after an unexpected error")
        turn += 1
        if ending.wait(EVERY):
            break
    try:
        report_end(name)
    except DatabaseError:
        logger.warning("The database is away; this worker will be forgotten when its heartbeats stop")
    connections.close_all()
