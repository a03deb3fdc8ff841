"""Rules about background work: what a worker should long have finished or put back."""

from collections.abc import Iterator
from datetime import timedelta

from django.apps import apps
from django.db.models import Q

from annotation.models import JudgeRun
from config.background.rows import Row as WorkRow
from config.background.rows import Status
from config.database_clock import database_now
from judges.models import Judgment, RunWork
from llm.models import Call, Reservation
from operating.data_check import DataCheck, Row

LATE = timedelta(minutes=15)
"""Workers look every few seconds for what has lost its worker."""
FORGOTTEN = timedelta(days=1)


def stuck_work() -> Iterator[Row]:
    now = database_now()
    for model in apps.get_models():
        if issubclass(model, WorkRow):
            lost = Q(status=Status.RUNNING, lease_until__lt=now - LATE)
            waits = Q(status=Status.QUEUED, due_at__lt=now - FORGOTTEN)
            for row in model._default_manager.filter(lost | waits).order_by("pk").iterator():
                since = row.lease_until or row.due_at
                yield {"table": model._meta.db_table, "id": row.pk, "status": row.status, "since": since}


def calls_without_end() -> Iterator[Row]:
    late = Call.objects.filter(status="running", lease_until__lt=database_now() - LATE).order_by("pk")
    yield from late.values("id", "endpoint", "model", "started_at").iterator()


def open_reservations() -> Iterator[Row]:
    late = Reservation.objects.filter(closed_at=None, lease_until__lt=database_now() - LATE).order_by("pk")
    yield from late.values("id", "study_id", "run", "left").iterator()


def stuck_runs() -> Iterator[Row]:
    """Runs that are called running although none of their work waits."""
    ended = RunWork.objects.filter(settled=False, ended_at__lt=database_now() - LATE)
    runs = JudgeRun.objects.filter(status="running", work__in=ended).order_by("pk")
    waiting = Judgment.objects.filter(status__in=("queued", "running")).values("run")
    yield from runs.exclude(pk__in=waiting).values("id", "rater_id", "name").iterator()


CHECKS = (
    DataCheck("stuck_work", "Background work is late: no worker has taken or finished it.", stuck_work),
    DataCheck("calls_without_end", "A call to a model has no end in the ledger.", calls_without_end),
    DataCheck("open_reservations", "An amount stays reserved although nobody uses it.", open_reservations),
    DataCheck("stuck_runs", "A run of a judge is called running, but nothing of it waits.", stuck_runs),
)
