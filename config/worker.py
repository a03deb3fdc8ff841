"""Start workers: `python -m config.worker calls jobs`, or `calls` or `jobs` alone.

`calls` waits for endpoints in threads; `jobs` computes in processes with time limits. Each has a process of its own,
and both are forks of one that has loaded the program. On SIGTERM a worker gives its work some seconds to finish.
Another worker repeats what did not finish.
"""

import gc
import os
import signal
import sys
import threading
import time
import warnings
from importlib import import_module
from typing import Any

os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # read when Celery is imported: SIGTERM then waits some seconds, not for ever
os.environ["CELERY_SKIP_CHECKS"] = "true"  # they load all pages, which takes 70 MB; `migrate` and the tests check

import django
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init
from celery.utils.nodenames import host_format
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.absent_parts import warn_of_absent_parts
from config.background.patient_places import call_threads
from config.celery import app
from config.forked_workers import Fork, ForkedWorkers
from config.pool_process import PoolProcess
from config.schema_state import check_schema

POOLS = {"calls": "threads", "jobs": "prefork"}
USED_BY_ALL = (
    "celery.apps.worker", "celery.concurrency.prefork", "celery.concurrency.thread", "celery.worker.autoscale",
    "celery.worker.components", "celery.worker.consumer", "celery.worker.strategy",
)  # fmt: skip
"""What Celery would load in each process after the fork."""
TIME_TO_END = 5.0
"""Seconds that a worker has to end after it has given its work the time to finish."""


def serve(queue: str) -> int:
    """Do the background work of a queue until a signal comes; return the exit code."""
    if queue == "calls":
        # A thread that becomes free starts the next row at once, not when the broker is asked again.
        app.conf.worker_prefetch_multiplier = 2
    end_after_signal(settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT + TIME_TO_END)
    size = call_threads() if queue == "calls" else settings.JOB_PROCESSES
    worker = app.Worker(
        hostname=host_format(f"{queue}@%h"), queues=[queue], pool=POOLS[queue], concurrency=size,
        without_gossip=True, without_mingle=True, without_heartbeat=True, quiet=True,
    )  # fmt: skip
    worker.start()
    return int(worker.exitcode or 0)


def load() -> None:
    """Load all that workers share, and take it out of garbage collection, which would write to it."""
    app.loader.import_default_modules()
    app.finalize()
    for name in USED_BY_ALL:
        import_module(name)
    with app.connection_for_write() as unconnected:
        _ = unconnected.transport_cls
    kinds = import_module("config.background.kinds")  # has a table, so Django must be set up
    kinds.works()
    kinds.sweeps()
    gc.collect()
    gc.freeze()
    gc.enable()


def end_after_signal(seconds: float) -> None:
    """End this process `seconds` after the first SIGTERM or SIGINT, even if its handler never returns.

    Celery closes its pool inside the signal handler. If the signal comes while the main thread is putting work into
    the pool's queue, the handler waits for a lock that its own thread holds, for ever.
    """
    received, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def end() -> None:
        while os.read(received, 1)[0] not in (signal.SIGTERM, signal.SIGINT):
            pass
        time.sleep(seconds)
        os._exit(1)

    threading.Thread(target=end, name="ending", daemon=True).start()


@worker_process_init.connect
def watch_pool_process(**about: Any) -> None:
    """Let a new process of the pool watch its worker and its work."""
    PoolProcess().watch()


def main(queues: list[str]) -> int:
    if not queues or not set(queues) <= set(POOLS) or len(set(queues)) < len(queues):
        sys.stderr.write(f"Name the workers: python -m config.worker {' '.join(POOLS)}\n")
        return 2
    gc.disable()  # loading leaves little garbage, and looking for it takes a third of the time; `load` turns it on
    try:
        django.setup()
        check_schema(complete=True)
        warn_of_absent_parts()
        connection.close()
        load()
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    warnings.simplefilter("ignore", SecurityWarning)  # about running as root, which the web server does as well
    sys.__stdout__ = None  # type: ignore[misc]  # there Celery would explain Ctrl-C
    if len(queues) == 1:
        return serve(queues[0])
    queue = ForkedWorkers([Fork(name) for name in queues]).run()
    return 0 if queue is None else serve(queue)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
