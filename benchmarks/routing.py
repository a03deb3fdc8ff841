"""How many tasks per second raters claim and answer in a study with routing and hidden checks, at its start and end.

    python benchmarks/routing.py [--url DATABASE_URL] [--tasks 1000000] [--plain]

It creates a database in a temporary folder (or uses the empty one given) with one study: eight topics, places for two
groups, a quota for each, a limit per rater, and hidden checks. Twelve raters answer in turn. Then all but a few places
are filled, and they answer again. `--plain` leaves the routing out. Beyond 20,000 tasks, the planned ones are copied by
SQL with their places and lanes, which takes minutes instead of an hour.

Each row has the wall time of a claim and of a claim with its answer, and the processor time per claim: of this process,
and on PostgreSQL of its server process, if that runs on this machine. On a busy machine only processor time counts.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TOPICS = [f"topic {number}" for number in range(8)]
RATERS, CLAIMS, LEFT, LEAST_LEFT = 12, 25, 20_000, 500
CHUNK = PLANNED = 20_000
FILLED_AT_ONCE = 500
"""Each place changes the count of its lane; within one transaction, PostgreSQL goes through all counts before it."""


def main() -> None:
    from benchmarks._own_database import own_database

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database (default: a temporary SQLite file)")
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--plain", action="store_true", help="without routing")
    given = parser.parse_args()
    with own_database(given.url):
        measure(given.tasks, routed=not given.plain)


def measure(tasks: int, *, routed: bool) -> None:
    from annotation.models import Slot
    from parts.routing.quotas import wrong_counts

    began = time.perf_counter()
    study = make_study(min(tasks, PLANNED), tasks, routed)
    multiply(tasks // min(tasks, PLANNED))
    tidy()
    made = Slot.objects.filter(study=study).count()
    print(
        f"{made:,} tasks made in {time.perf_counter() - began:.0f} s, routing {'on' if routed else 'off'}", flush=True
    )
    raters = [make_rater(study, number) for number in range(RATERS)]
    report("start", study, raters)
    free = Slot.objects.filter(study=study, state="open")
    fill(study, free.count() - min(LEFT, max(tasks // 10, LEAST_LEFT)))
    tidy()
    print(f"{free.count():,} open places left", flush=True)
    report("end", study, raters)
    assert wrong_counts(study) == []


def report(when: str, study, raters) -> None:
    from parts.checks.preparing import prepare_checks

    work(study, raters, 3)
    for rater in raters:
        rater.refresh_from_db()
        prepare_checks(rater)
    server = server_seconds()
    times = work(study, raters, CLAIMS)
    server = server_seconds() - server
    claims, both, spent = ([row[column] for row in times] for column in range(3))
    late = sorted(claims)[int(0.95 * (len(claims) - 1))]
    print(
        f"{when:<6} {len(claims) / sum(claims):7.0f} claims/s   median {1000 * statistics.median(claims):6.2f} ms   "
        f"p95 {1000 * late:6.2f} ms   {len(both) / sum(both):6.0f} claimed and answered/s\n"
        f"       processor time: {1000 * statistics.median(spent):6.2f} ms per claim here, "
        f"{1000 * server / len(claims):6.2f} ms per claim with its answer in the server",
        flush=True,
    )


def server_seconds() -> float:
    """The processor time of the server process of this connection; 0 on SQLite or if it runs elsewhere."""
    from django.db import connection

    if connection.vendor == "sqlite":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        status = Path(f"/proc/{cursor.fetchone()[0]}/stat")
    if not status.exists():
        return 0.0
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def work(study, raters, rounds: int) -> list[tuple[float, float, float]]:
    """Claim and answer so many rounds: per task the seconds of the claim, of both, and the claim's processor time."""
    from annotation.desk.assigning import next_assignment
    from annotation.desk.submitting import Submission, submit

    times = []
    for _ in range(rounds):
        for rater in raters:
            began, spent = time.perf_counter(), time.process_time()
            assignment = next_assignment(study, rater)
            claimed, spent = time.perf_counter(), time.process_time() - spent
            submit(assignment, Submission({"q-ok": ["true"]}, revision=0))
            times.append((claimed - began, time.perf_counter() - began, spent))
    return times


def multiply(times: int) -> None:
    """Copy the items of the only study with all that was planned for them, until there are so many times as many."""
    from django.db import connection, transaction
    from django.db.models import Max

    from annotation.models import Item, Output, Slot, Task, TaskOutput

    step = {model: model.objects.aggregate(last=Max("pk"))["last"] for model in (Item, Output, Task, TaskOutput, Slot)}
    for copy in range(1, times):
        with transaction.atomic(), connection.cursor() as cursor:
            for model, last in step.items():
                taken = {"id": f"id + {copy * last}", "key": f"'i' || (id + {copy * last})", "place": f"place + {copy}"}
                if model is not Item:
                    del taken["key"]
                refers = {Item: "item_id", Output: "output_id", Task: "task_id"}
                taken |= {column: f"{column} + {copy * step[to]}" for to, column in refers.items()}
                columns = [field.column for field in model._meta.concrete_fields]
                chosen = ", ".join(taken.get(column, f'"{column}"') for column in columns)
                named, table = ", ".join(f'"{column}"' for column in columns), model._meta.db_table
                cursor.execute(f"INSERT INTO {table} ({named}) SELECT {chosen} FROM {table} WHERE id <= {last}")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model, last in step.items():
                sequence = f"pg_get_serial_sequence('{model._meta.db_table}', 'id')"
                cursor.execute(f"SELECT setval({sequence}, {last * times})")


def tidy() -> None:
    """What autovacuum does on a server within a minute: without it, a claim reads what the last bulk change left."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def make_study(tasks: int, most: int, routed: bool):
    from django.db import transaction

    from annotation.models import Guideline, Item, Output, Question, Study
    from annotation.studies.lifecycle import make_live
    from annotation.studies.planning import plan_chunk
    from config.bulk_insert import insert_rows, next_ids

    about = {"step": "about", "question": "native"}
    routing = {
        "topics": {"names": TOPICS, "most": most}, "most_share": 0.5,
        "groups": [{**about, "quotas": {"yes": {"most": most}, "no": {"most": most, "least": 1}}}],
        "each_task": {**about, "seats": {"yes": 1}},
    }  # fmt: skip
    question = {"key": "native", "text": "Native?", "choices": ["yes", "no"]}
    study = Study.objects.create(
        slug="bench", title="Bench", protocol="rating", redundancy=1,
        options={"seed": 1, **({"routing": routing} if routed else {})},
        recruiting={
            "steps": [{"key": "about", "kind": "screen", "questions": [question]}],
            "checks": {"first": 2, "repeats": {"share": 0.1, "after": 2}},
        },
    )  # fmt: skip
    Question.objects.create(study=study, position=0, key="ok", type="binary", text="Good?")
    Guideline.objects.create(study=study, number=1, text="Read.")
    columns = ["id", "study_id", "key", "document", "instruction", "source", "set", "pool", "feedback", "digest"]
    for start in range(0, tasks, CHUNK):
        with transaction.atomic():
            ids = next_ids(Item, min(CHUNK, tasks - start))
            rows = [(pk, study.pk, f"i{pk}", "A document.", "", "", "", "main", "", "x") for pk in ids]
            named = [(*row, f'["{TOPICS[row[0] % len(TOPICS)]}"]') for row in rows]
            insert_rows(Item, [*columns, "categories"], named)
            insert_rows(
                Output, ["item_id", "position", "key", "text", "edited_from", "writer", "digest"],
                [(pk, 0, "north", "Short.", "", "", "x") for pk in ids],
            )  # fmt: skip
    while plan_chunk(study, 5000):
        pass
    make_live(Study.objects.get(pk=study.pk), None)
    return Study.objects.get(pk=study.pk)


def make_rater(study, number: int):
    from django.utils import timezone

    from accounts.models import Person
    from annotation.members.membership import add_member, rater_for
    from parts.way_in.models import PersonalReply

    person = Person.objects.create(username=f"person-{number}")
    add_member(study, person, "annotator", None)
    rater = rater_for(study, person)
    rater.topics, rater.admitted = [TOPICS[number % len(TOPICS)], TOPICS[(number + 3) % len(TOPICS)]], True
    rater.save()
    PersonalReply.objects.create(
        study=study, person=person, step="about", question="native", value="yes", given_at=timezone.now()
    )
    return rater


def fill(study, count: int) -> None:
    """Fill this many open places, as if others had answered them."""
    from django.db import transaction

    from annotation.models import Rater, Slot

    other = Rater.objects.create(study=study, name="others")
    while count > 0:
        with transaction.atomic():
            some = Slot.objects.filter(study=study, state="open").order_by("place")[: min(count, FILLED_AT_ONCE)]
            pks = list(some.values_list("pk", flat=True))
            Slot.objects.filter(pk__in=pks).update(state="filled", holder=other)
            count -= len(pks)
            if not pks:
                break


if __name__ == "__main__":
    main()
