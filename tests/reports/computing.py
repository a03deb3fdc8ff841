"""Works the queue of kept reports, as a worker does, for tests of what shows them."""

from datetime import timedelta

from django.utils import timezone

from config.background.claiming import process_row
from config.background.rows import Status
from reports.kept.kept_reports import WORK_KEY
from reports.models import KeptReport


def compute_requested() -> int:
    """Compute all requested reports, also those that would still wait for a while; return how many there were."""
    queued = KeptReport.objects.filter(status=Status.QUEUED)
    queued.update(due_at=timezone.now() - timedelta(minutes=1))
    return sum(process_row(WORK_KEY, pk) for pk in queued.order_by("pk").values_list("pk", flat=True))


def read(client, path, query=None, **more):
    """The response when all that it asked for is computed."""
    response = client.get(path, query, **more)
    return client.get(path, query, **more) if compute_requested() else response
