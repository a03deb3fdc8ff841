"""Whether this web process can do its work: each part is `ok`, `degraded` (people can work) or `down` (they cannot).

`/healthz` says that the process answers, `/readyz` asks the parts. Apps add checks
of their own. No part says more than its state, because nobody has to sign in to read it.
"""

import shutil
from collections.abc import Callable, Mapping

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from config.background.workers import worker_status
from config.clock_skew import clock_skew
from config.models import Worker
from config.parts import parts
from config.schema_state import names_in_database, names_on_disk

OK, DEGRADED, DOWN = "ok", "degraded", "down"
SCARCE_BYTES, FULL_BYTES = 1 << 30, 32 << 20
"""Free space on the disk of VAR below which the site is degraded, and below which answers may not be saved."""
LARGEST_SKEW = 2.0
"""By how many seconds the clocks of a web server or a worker and the database may differ before it is degraded."""
Check = Callable[[], str]


def database() -> str:
    """Whether the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return DOWN
    return OK


def migrations() -> str:
    """Whether the database has the schema of this version."""
    return OK if names_on_disk() <= names_in_database() else DOWN


def disk() -> str:
    """Whether the disk of VAR has space left. A database on another host watches its own disk."""
    free = shutil.disk_usage(settings.VAR).free
    return DOWN if free < FULL_BYTES else DEGRADED if free < SCARCE_BYTES else OK


def workers() -> str:
    """Whether workers serve both queues; without them, background work waits and people can rate."""
    status = worker_status()
    return OK if status.calls and status.jobs else DEGRADED


def broker() -> str:
    """Whether all workers reach the broker, as they report themselves."""
    return OK if worker_status().broker else DEGRADED


def clocks() -> str:
    """Whether the clocks of this host and of the workers' hosts agree with the database's."""
    others = Worker.objects.exclude(clock_skew=None).values_list("clock_skew", flat=True)
    skews = [clock_skew().total_seconds(), *(skew for skew in others if skew is not None)]
    return DEGRADED if max(map(abs, skews)) > LARGEST_SKEW else OK


OWN_CHECKS: Mapping[str, Check] = {
    "migrations": migrations, "disk": disk, "workers": workers, "broker": broker, "clocks": clocks,
}  # fmt: skip


def states() -> dict[str, str]:
    """Return the state of each part; without a database only the database's own."""
    found = {"database": database()}
    if found["database"] == DOWN:
        return found
    for name, check in (
        *OWN_CHECKS.items(),
        *(check for part in parts() for check in part.readiness.items()),
    ):
        try:
            found[name] = check()
        except (DatabaseError, OSError):
            found[name] = DOWN
    return found


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer without asking anything else: the process works."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Return the states as JSON, with status 503 if a part is down."""
    found = states()
    worst = max(found.values(), key=(OK, DEGRADED, DOWN).index)
    response = JsonResponse({"status": worst, "checks": found}, status=503 if worst == DOWN else 200)
    response.content += b"\n"
    return response
