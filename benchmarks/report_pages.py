"""What a study's pages cost in a web process: statements, milliseconds and memory; and what a worker's report costs.

    python benchmarks/report_pages.py [--url DATABASE_URL] [--ratings 600000] [--visits 5]

Makes a database of its own in a temporary folder (or uses the empty one given) with a study whose tasks three people
have rated, with their audit. Pages are then visited by one new process, before and after a worker, another new process,
has computed the reports. The milliseconds hold the database's work, too. Memory is without mapped files, of which
SQLite has up to 128 MiB: what the process has after a page, and the most that a worker had.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RATERS, OUTPUTS, QUESTIONS, AT_ONCE = 3, 4, 3, 20_000
PAGES = {
    "overview": "/studies/rated/", "glance": "/studies/rated/report/glance/", "report": "/studies/rated/report/",
    "review": "/studies/rated/review/", "spot checks": "/studies/rated/review/checks/",
    "people": "/studies/rated/people/",
    "API, agreement": "/api/studies/rated/agreement/",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--ratings", type=int, default=600_000)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--step", choices=("visit", "work"), help="what the new processes do")
    given = parser.parse_args()
    if given.step:
        step(given.step, given.visits)
        return
    from benchmarks._own_database import own_database

    with own_database(given.url):
        begun = time.perf_counter()
        make_study(given.ratings)
        print(f"made in {time.perf_counter() - begun:.0f} s", flush=True)
        for name in ("visit", "work", "visit"):
            subprocess.run([sys.executable, __file__, "--step", name, "--visits", str(given.visits)], check=True)


def step(name: str, visits: int) -> None:
    """Visit all pages, or do all background work, in this new process."""
    import django

    os.environ["ALLOWED_HOSTS"] = "testserver"
    django.setup()
    if name == "visit":
        visit(visits)
    else:
        from config.background.claiming import run_waiting

        begun, worked = time.perf_counter(), time.process_time()
        with most_memory() as most:
            done = run_waiting()
        clock, processor = time.perf_counter() - begun, time.process_time() - worked
        print(f"worker: {done} rows in {clock:.1f} s, {processor:.1f} s of the processor, {most[-1]:.0f} MiB")


def visit(visits: int) -> None:
    from django.db import connection
    from django.test import Client, override_settings
    from django.test.utils import CaptureQueriesContext

    from accounts.models import Person
    from annotation.models import Study
    from reports.kept.data_state import data_state

    client, study = Client(), Study.objects.get()
    client.force_login(Person.objects.get(username="owner"))
    times = [clocked(lambda: data_state(study)) for _ in range(20)]
    print(f"{connection.vendor}: state of the data {statistics.median(times):.2f} ms; at the start {memory():.0f} MiB")
    print("page              status  statements   ms: median  processor    MiB")
    for name, path in PAGES.items():
        measured, processor, sent, status = [], [], 0, 0
        for _ in range(visits):
            with override_settings(ALLOWED_HOSTS=["testserver"]), CaptureQueriesContext(connection) as queries:
                begun, worked = time.perf_counter(), time.process_time()
                status = client.get(path).status_code
                measured.append(1000 * (time.perf_counter() - begun))
                processor.append(1000 * (time.process_time() - worked))
            sent = max(sent, len(queries))
        said = f"{statistics.median(measured):>12.1f} {min(processor):>10.1f} {memory():>6.0f}"
        print(f"{name:<17} {status:>6} {sent:>11} {said}", flush=True)


def clocked(call: Any) -> float:
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def memory() -> float:
    """What this process has, without mapped files, in MiB."""
    from benchmarks.memory import pss

    return pss(os.getpid(), "Pss_Anon")


@contextmanager
def most_memory() -> Iterator[list[float]]:
    """Give a list with the most memory that this process has had, looked at ten times per second."""
    most, ended = [memory()], threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            most.append(max(most.pop(), memory()))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield most
    finally:
        ended.set()
        looking.join()


def make_study(ratings: int) -> None:
    """Write the rows that submitting would write, in bulk."""
    from django.utils import timezone

    from accounts.models import AuditEntry, Person
    from annotation.members.membership import add_member
    from annotation.models import Annotation, Item, Output, Question, Rater, Rating, Slot, Study, Task, TaskOutput

    owner, now = Person.objects.create_user("owner"), timezone.now()
    study = Study.objects.create(slug="rated", title="Rated", protocol="rating", redundancy=RATERS, status="live")
    add_member(study, owner, "owner", None)
    asked = [
        Question.objects.create(study=study, position=n, key=f"q{n}", type="likert", spec={"min": 1, "max": 5})
        for n in range(QUESTIONS)
    ]
    raters = [
        Rater.objects.create(study=study, name=f"rater-{n}", person=Person.objects.create_user(f"p{n}"))
        for n in range(RATERS)
    ]
    tasks = -(-ratings // (RATERS * QUESTIONS))
    bulk(Item, (
        Item(study=study, key=f"i{n}", digest="d", document="The ferry sails at nine. " * 20)
        for n in range(-(-tasks // OUTPUTS))
    ))  # fmt: skip
    items = list(Item.objects.order_by("pk").values_list("pk", flat=True))
    bulk(Output, (
        Output(item_id=item, position=n, key=f"system-{n}", text="It sails at nine.", digest="d")
        for item in items for n in range(OUTPUTS)
    ))  # fmt: skip
    outputs = list(Output.objects.order_by("pk").values_list("pk", "item_id"))[:tasks]
    bulk(Task, (Task(item_id=item, key=json.dumps([pk])) for pk, item in outputs))
    made = list(zip(Task.objects.order_by("pk").values_list("pk", flat=True), outputs, strict=True))
    bulk(TaskOutput, (TaskOutput(task_id=task, output_id=pk, position=0) for task, (pk, _) in made))
    bulk(Slot, (
        Slot(study=study, item_id=item, task_id=task, number=n, place=item, order=[0], state="filled", holder=rater)
        for task, (_, item) in made for n, rater in enumerate(raters)
    ))  # fmt: skip
    bulk(Annotation, (
        Annotation(task_id=task, rater=rater, revision=1, status="submitted", shown=[0], guidelines_version=1,
                   protocol_version=1, submitted_at=now, opened_at=now, seconds=20.0)
        for task, _ in made for rater in raters
    ))  # fmt: skip
    of_task = dict(made)
    answers = Annotation.objects.order_by("pk").values_list("pk", "task_id", "rater_id").iterator(chunk_size=AT_ONCE)
    bulk(Rating, (
        Rating(study=study, question=question, rater_id=rater, item_id=of_task[task][1], output_id=of_task[task][0],
               annotation_id=pk, level="interval", number=value, value=value, guidelines_version=1, submitted_at=now)
        for pk, task, rater in list(answers) for question in asked
        for value in [1 + (task * 7 + question.pk + (rater * task) % 2) % 5]
    ))  # fmt: skip
    bulk(AuditEntry, (
        AuditEntry(action=action, study=study.slug, subject=f"task {task} of rater", new={"revision": 1})
        for task, _ in made for _ in raters for action in ("task assigned", "task submitted")
    ))  # fmt: skip


def bulk(model: Any, rows: Iterator[Any]) -> None:
    from itertools import islice

    from django.db import connection

    while some := list(islice(rows, AT_ONCE)):
        model._default_manager.bulk_create(some, batch_size=AT_ONCE)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f'ANALYZE "{model._meta.db_table}"')


if __name__ == "__main__":
    main()
