"""Runs of metrics with a model that pages have asked for, until a worker has named the weights and started them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from judges.judge_choices import judge_choice
from judges.models import MetricRequest

WORK_KEY = "metric_request"
SHOWN_FOR = timedelta(days=1)
"""How long the page says why a run could not be started."""
MOST_SHOWN = 10


@dataclass(frozen=True)
class WaitingRun:
    """A run that has not started; `reason` says why it cannot, or is "" while a worker prepares it."""

    judge: str
    asked_at: datetime
    reason: str


def request_run(study: Study, given: Mapping[str, Any], actor: Person, client_key: UUID) -> MetricRequest:
    """Have a worker start a run of a checked metric. The same `client_key` again returns the request that it made.

    Raises ImportPendingError while an import into the study is being completed.
    """
    with transaction.atomic():
        locked = lock_study(study.pk)
        made = MetricRequest.objects.filter(client_key=client_key, study=locked).first()
        if made is not None:
            return made
        request = MetricRequest.objects.create(study=locked, asked_by=actor, given=dict(given), client_key=client_key)
        enqueue(works()[WORK_KEY], request)
    return request


def waiting_runs(study: Study) -> Sequence[WaitingRun]:
    """Return the runs that workers are to start, and those that could not start in the last day; the newest first."""
    newest = MetricRequest.objects.filter(study=study, run=None, created_at__gt=database_now() - SHOWN_FOR)
    return [
        WaitingRun(_name(request), request.created_at, "" if request.is_waiting else request.reason)
        for request in newest.order_by("-pk")[:MOST_SHOWN]
    ]


def _name(request: MetricRequest) -> str:
    choice = judge_choice(str(request.given.get("metric")))
    return choice.label if choice else str(request.given.get("metric"))
