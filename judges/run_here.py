"""Works a run off in this process, beside workers if there are any: for commands, which wait for the end."""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from django.db import DEFAULT_DB_ALIAS, close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from annotation.models import JudgeRun
from config.background.claiming import abandon, claimable, process_row
from config.background.kinds import works
from config.database_clock import database_now
from judges.background.run_upkeep import settle_run
from judges.models import Judgment, RunWork
from judges.run_kind import kind_of
from judges.run_states import WORK_KEY

JUDGMENT = "judgment"
SETTLE_EVERY = 1.0
IDLE = 0.2
SETTLED_WITHIN = 30.0


def run_here(run: JudgeRun, progress: Callable[[JudgeRun, int], None]) -> JudgeRun:
    """Work until a run is over and return it; `progress(run, judgments over)` is called about every second."""
    work, told = RunWork.objects.get(run=run), 0.0
    under_way: dict[int, Future[None]] = {}
    opened: set[BaseDatabaseWrapper] = set()
    kind = kind_of(run.configuration)
    threads = kind.threads(run)
    with ThreadPoolExecutor(threads, "judge") as pool:
        try:
            while run.status == JudgeRun.Status.RUNNING:
                if not abandon(works()[WORK_KEY], work.pk):
                    process_row(WORK_KEY, work.pk)
                _hand_out(run, lambda pk: pool.submit(_judge, opened, pk), threads, under_way)
                if time.monotonic() - told >= SETTLE_EVERY:
                    settle_run(run)
                    run.refresh_from_db()
                    progress(run, kind.done(run))
                    told = time.monotonic()
                if under_way:
                    wait(under_way.values(), timeout=IDLE, return_when=FIRST_COMPLETED)
                else:
                    settle_run(run)
                    run.refresh_from_db()
                    time.sleep(0 if run.status != JudgeRun.Status.RUNNING else IDLE)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            for connection in opened:  # the threads that have opened them are gone
                connection.inc_thread_sharing()
                connection.close()
    until = time.monotonic() + SETTLED_WITHIN
    while not settle_run(run) and time.monotonic() < until:  # other workers may still be at the last judgments
        time.sleep(IDLE)
    run.refresh_from_db()
    return run


def _hand_out(
    run: JudgeRun, submit: Callable[[int], Future[None]], threads: int, under_way: dict[int, Future[None]]
) -> None:
    """Give due judgments to the threads that are free, and forget those that are done."""
    for pk in [pk for pk, future in under_way.items() if future.done()]:
        under_way.pop(pk).result()
    room = threads * 2 - len(under_way)
    if room < threads:
        return
    due = Judgment.objects.filter(claimable(database_now()), run=run).exclude(pk__in=list(under_way))
    for pk in due.order_by("due_at", "pk").values_list("pk", flat=True)[:room]:
        under_way[pk] = submit(pk)


def _judge(opened: set[BaseDatabaseWrapper], pk: int) -> None:
    close_old_connections()
    opened.add(connections[DEFAULT_DB_ALIAS])
    if not abandon(works()[JUDGMENT], pk):
        process_row(JUDGMENT, pk)
