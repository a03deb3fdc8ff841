"""Whether a process of this container does its work, for health checks: exit code 0 where it does.

`python -m config.healthy web 8000` asks the web server for a page; `python -m config.healthy calls` (or `jobs`) looks
for a sign of life of this machine's worker.
"""

import http.client
import os
import socket
import sys
from datetime import timedelta

import django
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.utils import timezone

LATELY = timedelta(seconds=45)
WELL = (200, 301, 302)


def web_answers(port: int) -> bool:
    """Whether the sign-in page is answered, or sent to HTTPS."""
    host = settings.ALLOWED_HOSTS[0]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=8)
    try:
        connection.request("GET", "/sign-in/", headers={"Host": host, "X-Forwarded-Proto": "https"})
        return connection.getresponse().status in WELL
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def worker_lives(queue: str) -> bool:
    """Whether a worker of this machine reported lately that it takes from `queue`."""
    django.setup()
    alive = apps.get_model("config", "Worker").objects.filter(
        name__startswith=f"{socket.gethostname()}:", seen_at__gte=timezone.now() - LATELY
    )
    return any(queue in worker.queues.split(",") for worker in alive)


def main(arguments: list[str]) -> int:
    try:
        well = web_answers(int(arguments[1])) if arguments[0] == "web" else worker_lives(arguments[0])
    except (DatabaseError, ImproperlyConfigured) as problem:
        sys.stderr.write(" ".join(str(problem).split()) + "\n")
        return 1
    return 0 if well else 1


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main(sys.argv[1:]))
