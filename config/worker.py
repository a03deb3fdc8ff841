"""Start a worker: `python -m config.worker calls` or `python -m config.worker jobs`.

`calls` waits for endpoints in threads; `jobs` computes in processes with time limits. On SIGTERM a worker gives its
work some seconds to finish. Another worker repeats what did not finish.
"""

import os
import signal
import sys
import threading
import time
import warnings
from typing import Any

os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # read when Celery is imported: SIGTERM then waits some seconds, not for ever

import django
from celery.bin.celery import celery as command_line
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from config.celery import app
from config.schema_state import check_schema

POOLS = {"calls": ("threads", "CALL_THREADS"), "jobs": ("prefork", "JOB_PROCESSES")}
CHECK_EVERY = 1.0
TIME_TO_END = 5.0
"""Seconds that a worker has to end after it has given its work the time to finish."""


def arguments_for(queue: str) -> list[str]:
    """Return the arguments of Celery's command line."""
    pool, size = POOLS[queue]
    return [
        "--quiet", "worker", "--queues", queue, "--hostname", f"{queue}@%h", "--pool", pool, "--concurrency",
        str(getattr(settings, size)), "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


def use_the_settings() -> None:
    """Keep Celery's command line from reading BROKER_URL itself: the password may be in another file."""
    for option in command_line.params:
        if option.name == "broker":
            option.envvar = None


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
def follow_parent(**about: Any) -> None:
    """End a process of the pool when the worker that started it ends, even if that was killed."""
    signal.set_wakeup_fd(-1)  # its signals are not the worker's
    threading.Thread(target=end_with, args=(os.getppid(),), name="parent", daemon=True).start()


def end_with(parent: int) -> None:
    """End this process as soon as `parent` is gone."""
    while os.getppid() == parent:
        time.sleep(CHECK_EVERY)
    os._exit(1)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in POOLS:
        sys.stderr.write(f"Name the worker: python -m config.worker {'|'.join(POOLS)}\n")
        return 2
    try:
        django.setup()
        check_schema(complete=True)
        connection.close()
        given = arguments_for(arguments[0])
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    warnings.simplefilter("ignore", SecurityWarning)  # about running as root, which the web server does as well
    sys.__stdout__ = None  # type: ignore[misc]  # there Celery would explain Ctrl-C
    if arguments[0] == "calls":
        # A thread that becomes free starts the next row at once, not when the broker is asked again.
        app.conf.worker_prefetch_multiplier = 2
    end_after_signal(settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT + TIME_TO_END)
    use_the_settings()
    app.start(given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
