"""What the page about models says of a study's judgments: indexes have all that is read, however many there are."""

from datetime import datetime

from django.db.models import Min, OuterRef, Subquery
from django.db.models.functions import Coalesce

from annotation.models import JudgeRun, Study
from config.background.kinds import QueueState
from config.background.rows import Status
from judges.models import IS_FAILED, Judgment, RunWork


def judgment_queue(study: Study) -> QueueState:
    """Return how many judgments of a study wait, run and have failed, in seven queries.

    A run's judgments are made in their order, so its first waiting one is its oldest.
    """
    keys = list(JudgeRun.objects.filter(rater__study=study).values_list("pk", flat=True))
    waiting, running, failed = (_count(keys, status) for status in (Status.QUEUED, Status.RUNNING, Status.FAILED))
    runs = JudgeRun.objects.filter(pk__in=keys)
    of_run = Judgment.objects.filter(run=OuterRef("pk"))
    first = of_run.filter(status=Status.QUEUED, outcome="").order_by("place").values("created_at")
    oldest = runs.annotate(at=Subquery(first[:1])).aggregate(oldest=Min("at"))["oldest"] if waiting else None
    at, reason = None, ""
    if failed:
        last = of_run.filter(IS_FAILED).order_by("-ended_at").values("ended_at")
        ended = runs.annotate(at=Subquery(last[:1])).filter(at__isnull=False).order_by("-at")
        run, at = ended.values_list("pk", "at")[0]
        reason = Judgment.objects.filter(IS_FAILED, run=run).order_by("-ended_at").values_list("reason", flat=True)[0]
    return QueueState(waiting, running, failed, oldest, at, reason)


def _count(runs: list[int], status: str) -> int:
    return Judgment.objects.filter(run__in=runs, status=status).count()


def first_judgments(now: datetime) -> list[tuple[int | None, int, datetime]]:
    """Return, for each run that goes on, its study, and the key and time of its first judgment that is due.

    A judgment whose worker was lost comes first. There may be a hundred thousand rows, so none but these are read.
    """
    of_run = Judgment.objects.filter(run=OuterRef("run")).order_by("place").values("pk")
    lost = of_run.filter(status=Status.RUNNING, outcome="", lease_until__lt=now)
    queued = of_run.filter(status=Status.QUEUED, outcome="", due_at__lte=now)
    runs = RunWork.objects.filter(settled=False).annotate(first=Coalesce(Subquery(lost[:1]), Subquery(queued[:1])))
    first = dict(runs.filter(first__isnull=False).values_list("first", "study"))
    due = Judgment.objects.filter(pk__in=first).values_list("pk", "due_at")
    return [(first[pk], pk, due_at) for pk, due_at in due]
