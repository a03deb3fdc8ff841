"""Calls of a run of a judge: calls per second, processor time per call and statements per judgment.

    python -m benchmarks.judging [--postgresql URL] [--judgments 1000] [--processes 1] [--threads 16] [--in-flight 16]
        [--seconds 0.2] [--beside 0] [--profile]

It starts a scripted server, plans a run of `llm_eval` over outputs of 60 words with documents of 300, then starts
`--processes` workers with `--threads` threads each and waits until the run has ended and its ratings are recorded. With
`--postgresql` it uses a new database on that server and a Redis of its own, otherwise SQLite and the file broker in a
temporary folder. It ends with an error if ratings, ledger and budget disagree. With `--beside 5` it queues five other
calls during the run, each when the one before has started, and prints how long they waited for a thread. `--profile`
makes judgments in this process instead, and prints their statements and where the processor time goes.
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.calling import ms, processor_seconds
from tests.load.engine import MODEL, Process, endpoints_file, own_redis, scripted_server
from tests.load.server import environment, own_database

OUTPUTS = 5
PATIENCE = 1500
SENTENCE = "the ferry sails at nine if the wind allows and the harbour master agrees"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--judgments", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--beside", type=int, default=0, help="calls of other work that are queued during the run")
    parser.add_argument("--profile", action="store_true", help="run in this process and print where the time goes")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        env = environment(stack.enter_context(own_database(given.postgresql, folder)), folder)
        env |= {"CALL_THREADS": str(given.threads), "LOG_LEVEL": "WARNING"}
        if given.postgresql:
            env["BROKER_URL"] = stack.enter_context(own_redis(folder))
        served = stack.enter_context(scripted_server(folder, 0 if given.profile else given.seconds))
        endpoints_file(folder / "endpoints.yaml", served.address, given.in_flight)
        os.environ.update(env)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        run = planned_run(given.judgments)
        if given.profile:
            profile(run)
            return
        workers = [Process(["config.worker", "calls"], env, folder / f"{one}.log") for one in range(given.processes)]
        for worker in workers:
            stack.callback(worker.end)
            worker.start()
        tell(given, run, watched(run, given, workers))


def planned_run(count: int) -> Any:
    """Start a run with this many judgments and plan them."""
    from annotation.models import Guideline, Item, Output, Question, Study
    from config.background.claiming import process_row
    from judges.configuration import checked_configuration
    from judges.models import RunWork
    from judges.run_states import start_run

    study = Study.objects.create(slug="judged", protocol="rating", redundancy=1)
    Guideline.objects.create(study=study, number=1, text="Read.")
    spec = {"min": 1, "max": 5}
    Question.objects.create(study=study, position=0, key="well", type="likert", text="How well?", spec=spec)
    items = Item.objects.bulk_create(
        Item(study=study, key=f"i{number}", digest="d", document=text(number, 300), instruction="When does it sail?")
        for number in range(-(-count // OUTPUTS))
    )
    Output.objects.bulk_create(
        Output(item=item, position=place, key=f"s{place}", text=text(item.pk * OUTPUTS + place, 60), digest="d")
        for item in items
        for place in range(OUTPUTS)
    )
    given = {"protocol": "llm_eval", "model": MODEL, "questions": ["well"], "subset": count}
    run = start_run(study, checked_configuration(study, given), None)
    began = time.perf_counter()
    process_row("run", RunWork.objects.get(run=run).pk)
    print(f"estimated, reserved and planned {run.judgments.count():,} judgments: {time.perf_counter() - began:.1f} s")
    return run


def text(number: int, words: int) -> str:
    known = SENTENCE.split()
    return f"{number}: " + " ".join(known[(number + place) % len(known)] for place in range(words))


def watched(run: Any, given: argparse.Namespace, workers: list[Process]) -> dict[str, float]:
    """Wait until the run has ended; return the processor seconds of the workers for the last nine tenths of it."""
    from config.background.rows import WAITING
    from judges.models import Judgment

    def left() -> int:
        return Judgment.objects.filter(run=run, status__in=WAITING).count()

    count, spent = given.judgments, {}
    wait_for(lambda: left() <= count - count // 10)
    before = used(workers)
    waits = [waited() for _ in range(given.beside)]
    if waits:
        print(f"{len(waits)} other calls waited {', '.join(f'{one:.1f}' for one in waits)} s for a thread")
    wait_for(lambda: left() == 0)
    spent["judging"] = used(workers) - before
    wait_for(lambda: run.work.__class__.objects.get(run=run).settled)
    spent["whole"] = used(workers)
    return spent


def waited() -> float:
    """Queue a call of other work; return the seconds until a thread has taken it."""
    from annotation.models import Study
    from llm.completions import queue_completion
    from llm.models import Completion
    from llm.requests import Charge, Message, Request

    study = Study.objects.filter(slug="beside").first()
    study = study or Study.objects.create(slug="beside", protocol="rating", redundancy=1)
    row = queue_completion(Request(MODEL, (Message("user", "When does it sail?"),)), Charge(study))
    wait_for(lambda: Completion.objects.get(pk=row.pk).started_at is not None)
    started = Completion.objects.get(pk=row.pk)
    return float((started.started_at - started.created_at).total_seconds())


def used(workers: list[Process]) -> float:
    return sum(processor_seconds(worker.process.pid) for worker in workers if worker.process is not None)


def wait_for(over: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not over():
        if time.monotonic() > until:
            raise SystemExit(f"not done within {PATIENCE} seconds")
        time.sleep(0.25)


def tell(given: argparse.Namespace, run: Any, spent: dict[str, float]) -> None:
    from django.db.models import Avg, F, Max, Min

    from annotation.models import Rating
    from llm.models import Budget, Call

    calls = Call.objects.filter(study=run.rater.study)
    found = calls.aggregate(first=Min("started_at"), last=Max("ended_at"), each=Avg(F("ended_at") - F("started_at")))
    taken = (found["last"] - found["first"]).total_seconds()
    ideal = given.judgments * given.seconds / given.in_flight
    run.refresh_from_db()
    print(f"{'PostgreSQL, Redis' if given.postgresql else 'SQLite, files'}: the run is {run.status}, {run.counts}")
    print(f"  {given.processes} x {given.threads} threads, {given.in_flight} in flight, load {os.getloadavg()[0]:.1f}")
    print(
        f"  {given.judgments / taken:.1f} calls per second: {taken:.1f} s, {taken / ideal:.2f} x the ideal {ideal:.0f}"
    )
    print(f"  a call took {ms(found['each'])} ms (mean)")
    print(f"  workers: {1000 * spent['judging'] / (given.judgments * 0.9):.1f} ms of processor time per judgment")
    print(f"  {1000 * spent['whole'] / given.judgments:.1f} ms with their start, recording and end")
    budget, charged = Budget.objects.exclude(run="").get(), sum(calls.values_list("price_charged", flat=True))
    ratings = Rating.objects.filter(rater=run.rater).count()
    if (budget.reserved, budget.spent, ratings, calls.count()) != (0, charged, given.judgments, given.judgments):
        raise SystemExit(f"{budget.reserved=} {budget.spent=} {charged=} {ratings=} {calls.count()=}")


def profile(run: Any) -> None:
    """Make judgments in this process, one after the other, and print their statements and what takes time."""
    import cProfile
    import pstats

    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from config.background.claiming import process_row

    rows = iter(run.judgments.order_by("pk").values_list("pk", flat=True))
    for _ in range(20):
        process_row("judgment", next(rows))
    with CaptureQueriesContext(connection) as captured:
        process_row("judgment", next(rows))
    for query in captured.captured_queries:
        print(f"  {query['time']} {query['sql'][:150]}")
    print(f"{len(captured)} statements, {Counter(one['sql'].split()[0] for one in captured.captured_queries)}")
    began = time.process_time()
    for _ in range(200):
        process_row("judgment", next(rows))
    print(f"{1000 * (time.process_time() - began) / 200:.2f} ms of processor time per judgment, one after the other")
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(100):
        process_row("judgment", next(rows))
    profiler.disable()
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(90)


if __name__ == "__main__":
    main()
