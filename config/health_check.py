"""Health check of a container: exit code 0 if its process does its work.

`python -m config.health_check web 8000` asks the web server's `/readyz`; `python -m config.health_check calls`
(or `jobs`, or `workers` for both) looks for a recent heartbeat of this machine's worker.

With `--alive` it fails only if the process hangs: a web server that answers nothing, or a worker without heartbeats
while the database answers. With `--end PID --after N` it also ends that process when it has been found hanging N times
in a row, so that what runs it starts it again: see `config.hung_process`.
"""

import argparse
import enum
import http.client
import os
import socket
import sys
from datetime import timedelta
from http import HTTPStatus

import django
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError

from config.database_clock import database_now
from config.hung_process import HungProcess

RECENT = timedelta(seconds=45)
WATCHED = {"calls": ("calls",), "jobs": ("jobs",), "workers": ("calls", "jobs")}
READY_TIME, ANSWER_TIME = 8, 4
"""Seconds for `/readyz`, which gives up on a database after five, and for `/healthz`, which asks nothing."""


class Health(enum.Enum):
    """What a check has found."""

    WELL = enum.auto()
    WAITING = enum.auto()
    """The process answers and cannot do its work, for example because the database is away. A restart helps nobody."""
    HUNG = enum.auto()


def asked(port: int, path: str, seconds: int) -> int | None:
    """Return the status with which the web server answers, or None if it does not answer in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", path, headers={"Host": settings.ALLOWED_HOSTS[0]})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def health_of_web(port: int) -> Health:
    """Return whether the web server and what it needs can serve people: see `config.readiness`."""
    status = asked(port, "/readyz", READY_TIME)
    if status == HTTPStatus.OK:
        return Health.WELL
    return Health.HUNG if status is None and asked(port, "/healthz", ANSWER_TIME) is None else Health.WAITING


def worker_is_alive(queue: str) -> bool:
    """Whether a worker of this machine has recently reported that it serves `queue`."""
    django.setup()
    alive = apps.get_model("config", "Worker").objects.filter(
        name__startswith=f"{socket.gethostname()}:", seen_at__gte=database_now() - RECENT
    )
    return any(queue in worker.queues.split(",") for worker in alive)


def health_of(what: str, port: int | None) -> Health:
    """Return the health of the web server on `port`, of the worker for a queue, or of both workers."""
    try:
        if what == "web":
            return health_of_web(port or 8000)
        return Health.WELL if all(worker_is_alive(queue) for queue in WATCHED[what]) else Health.HUNG
    except (DatabaseError, ImproperlyConfigured) as problem:
        sys.stderr.write(" ".join(str(problem).split()) + "\n")
        return Health.WAITING


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m config.health_check")
    parser.add_argument("what", choices=("web", *WATCHED))
    parser.add_argument("port", type=int, nargs="?")
    parser.add_argument("--alive", action="store_true", help="fail only if the process hangs")
    parser.add_argument("--end", type=int, metavar="PID", help="the process to end when it hangs; never as root")
    parser.add_argument("--after", type=int, default=10, help="how many checks in a row must find it hanging")
    given = parser.parse_args(arguments)
    health = health_of(given.what, given.port)
    if given.end and os.geteuid() != 0:
        HungProcess(given.end).note(health is Health.HUNG, given.after)
    return 0 if health is Health.WELL or (given.alive and health is Health.WAITING) else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
