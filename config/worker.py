"""A worker, as `make run` and the image start it: `python -m config.worker calls` or `jobs`.

`calls` waits for others, in threads; `jobs` computes, in processes with time limits. Asked to end, a worker lets
what it does go on for some seconds; what did not end by then is begun again by another one.
"""

import os
import sys
import threading
import time
import warnings
from typing import Any

os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # read when Celery is imported: SIGTERM then waits that long, not for ever

import django
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.celery import app

POOLS = {"calls": ("threads", "CALL_THREADS"), "jobs": ("prefork", "JOB_PROCESSES")}
LOOK_EVERY = 1.0


def command(queue: str) -> list[str]:
    """What Celery's command line is told."""
    pool, size = POOLS[queue]
    return [
        "--quiet", "worker", "--queues", queue, "--hostname", f"{queue}@%h", "--pool", pool, "--concurrency",
        str(getattr(settings, size)), "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


@worker_process_init.connect
def follow_parent(**about: Any) -> None:
    """Have a process of the pool end with the worker that started it, even one that was killed."""
    threading.Thread(target=end_with, args=(os.getppid(),), name="parent", daemon=True).start()


def end_with(parent: int) -> None:
    """End this process at once when `parent` is gone."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    os._exit(1)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in POOLS:
        sys.stderr.write(f"Which worker? python -m config.worker {'|'.join(POOLS)}\n")
        return 2
    try:
        django.setup()
        told = command(arguments[0])
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    warnings.simplefilter("ignore", SecurityWarning)  # of running as root: the same holds for the web server
    sys.__stdout__ = None  # type: ignore[misc]  # where Celery tells a terminal how to use Ctrl-C
    app.start(told)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
