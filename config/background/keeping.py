"""What runs beside a worker's tasks: signs of life and the sweeper, in a thread of the worker's main process."""

import logging
import threading
from typing import Any

from celery import Celery, bootsteps
from django.db import DatabaseError, close_old_connections, connections
from kombu.exceptions import OperationalError

from config.background.sweeping import sweep
from config.background.work import QUEUES, sweeps
from config.background.workers import report_alive, report_end, worker_name

logger = logging.getLogger(__name__)
EVERY = 1.0
SIGN_EVERY = 5


class Keeper(bootsteps.StartStopStep):
    """Started and stopped with the worker."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self.ending = threading.Event()
        self.thread: threading.Thread | None = None

    def start(self, parent: Any) -> None:
        queues = tuple(queue for queue in QUEUES if queue in parent.app.amqp.queues.consume_from)
        self.thread = threading.Thread(target=keep, args=(parent.app, queues, self.ending), name="keeper", daemon=True)
        self.thread.start()

    def stop(self, parent: Any) -> None:
        self.ending.set()
        if self.thread is not None:
            self.thread.join(timeout=5)

    terminate = stop


def reaches_broker(app: Celery) -> bool:
    """Whether a connection to the broker can be made within its few seconds."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=2)
            _ = connection.default_channel
    except (OperationalError, OSError):
        return False
    return True


def keep(app: Celery, queues: tuple[str, ...], ending: threading.Event) -> None:
    """Sweep every second and report every fifth, until told to end; outlives whatever fails meanwhile."""
    name, turn, reached = worker_name(queues), 0, True
    while True:
        try:
            close_old_connections()
            if turn % SIGN_EVERY == 0:
                reached = reaches_broker(app)
                report_alive(name, queues, reached)
            if reached:
                _, reached = sweep(queues)
            for looked_after in sweeps().values():
                if turn % looked_after.every == 0:
                    looked_after.run()
        except DatabaseError as problem:
            logger.warning("The sweeper waits: the database cannot be used (%s)", " ".join(str(problem).split()))
        except Exception:  # whatever it is: without its keeper a worker would look dead, and lost rows would stay lost
            logger.exception("The sweeper goes on after a failure that was not foreseen")
        turn += 1
        if ending.wait(EVERY):
            break
    try:
        report_end(name)
    except DatabaseError:
        logger.warning("The database is away: it will notice by itself that this worker ended")
    connections.close_all()
