"""Health check of a container: exit code 0 if its process does its work.

`python -m config.health_check web 8000` asks the web server's `/readyz`; `python -m config.health_check calls`
(or `jobs`) looks for a recent heartbeat of this machine's worker.
"""

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
from django.utils import timezone

RECENT = timedelta(seconds=45)


def web_is_ready(port: int) -> bool:
    """Whether the web server and what it needs can serve people: see `config.readiness`."""
    host = settings.ALLOWED_HOSTS[0]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=8)
    try:
        connection.request("GET", "/readyz", headers={"Host": host})
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def worker_is_alive(queue: str) -> bool:
    """Whether a worker of this machine has recently reported that it serves `queue`."""
    django.setup()
    alive = apps.get_model("config", "Worker").objects.filter(
        name__startswith=f"{socket.gethostname()}:", seen_at__gte=timezone.now() - RECENT
    )
    return any(queue in worker.queues.split(",") for worker in alive)


def main(arguments: list[str]) -> int:
    try:
        healthy = web_is_ready(int(arguments[1])) if arguments[0] == "web" else worker_is_alive(arguments[0])
    except (DatabaseError, ImproperlyConfigured) as problem:
        sys.stderr.write(" ".join(str(problem).split()) + "\n")
        return 1
    return 0 if healthy else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
