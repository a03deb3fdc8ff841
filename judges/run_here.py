"""Works a run off in this process, beside workers if there are any: for commands, which wait for the end."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from django.db import close_old_connections
from django.utils import timezone

from annotation.models import JudgeRun
from config.background.claiming import claimable, process_row
from config.background.rows import WAITING
from judges.background.run_upkeep import settle_run
from judges.metric_configuration import is_metric
from judges.models import Judgment, RunWork
from judges.run_states import WORK_KEY
from llm.endpoints import find_model

JUDGMENT = "judgment"
SETTLE_EVERY = 1.0
IDLE = 0.2
MOST_THREADS = 64


def run_here(run: JudgeRun, progress: Callable[[JudgeRun, int], None]) -> JudgeRun:
    """Work until a run is over and return it; `progress(run, judgments over)` is called about every second."""
    work, told = RunWork.objects.get(run=run), 0.0
    under_way: dict[int, Future[None]] = {}
    threads = 1 if is_metric(run) else min(find_model(run.configuration["model"])[0].in_flight, MOST_THREADS)
    with ThreadPoolExecutor(threads, "judge") as pool:
        try:
            while run.status == JudgeRun.Status.RUNNING:
                process_row(WORK_KEY, work.pk)
                _hand_out(run, pool, threads, under_way)
                if time.monotonic() - told >= SETTLE_EVERY:
                    settle_run(run)
                    run.refresh_from_db()
                    progress(run, over(run))
                    told = time.monotonic()
                if under_way:
                    wait(under_way.values(), timeout=IDLE, return_when=FIRST_COMPLETED)
                else:
                    settle_run(run)
                    run.refresh_from_db()
                    time.sleep(0 if run.status != JudgeRun.Status.RUNNING else IDLE)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return run


def over(run: JudgeRun) -> int:
    """Return how many judgments, or scores, of a run are over."""
    if is_metric(run):
        return RunWork.objects.values_list("planned", flat=True).get(run=run)
    return Judgment.objects.filter(run=run).exclude(status__in=WAITING).count()


def _hand_out(run: JudgeRun, pool: ThreadPoolExecutor, threads: int, under_way: dict[int, Future[None]]) -> None:
    """Give due judgments to the threads that are free, and forget those that are done."""
    for pk in [pk for pk, future in under_way.items() if future.done()]:
        under_way.pop(pk).result()
    room = threads * 2 - len(under_way)
    if room < threads:
        return
    due = Judgment.objects.filter(claimable(timezone.now()), run=run).exclude(pk__in=list(under_way))
    for pk in due.order_by("due_at", "pk").values_list("pk", flat=True)[:room]:
        under_way[pk] = pool.submit(_judge, pk)


def _judge(pk: int) -> None:
    close_old_connections()
    process_row(JUDGMENT, pk)
