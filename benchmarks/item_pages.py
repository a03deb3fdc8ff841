"""What the table of items and the page of an item cost: statements, and milliseconds of the clock and of the processor.

    python benchmarks/item_pages.py [--url DATABASE_URL] [--items 100000] [--visits 5]

Makes a database of its own in a temporary folder (or uses the empty one given) with a study whose items three people
have rated by two questions each. A new process counts the items, and another one visits the pages. On SQLite the
processor's time holds the database's work; on PostgreSQL it does not, but the clock's does.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RATERS, QUESTIONS = 3, 2
PAGE = "/studies/listed/items/"
QUERIES = {
    "first page": "", "page 200": "?page=200", "disagreement": "?sort=disagreement", "page 200 of that":
    "?sort=disagreement&page=200", "fewest answers": "?sort=few", "by key": "?sort=key&page=200",
    "search, many": "?q=ferry", "search, one": "?q=item-77777", "search, none": "?q=nowhere",
    "category": "?category=topic-3&sort=disagreement", "flagged": "?mark=flagged", "range": "?least=0.5&most=0.6",
    "all of these": "?q=ferry&category=topic-3&least=0.5&state=complete&sort=disagreement",
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--step", choices=("visit", "work"), help="what the new processes do")
    given = parser.parse_args()
    if given.step:
        step(given.step, given.visits)
        return
    from benchmarks._own_database import own_database

    with own_database(given.url):
        begun = time.perf_counter()
        make_study(given.items)
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
        return
    from config.background.claiming import run_waiting

    begun, worked = time.perf_counter(), time.process_time()
    done = run_waiting()
    clock, processor = time.perf_counter() - begun, time.process_time() - worked
    print(f"worker: {done} rows in {clock:.1f} s, {processor:.1f} s of the processor", flush=True)


def visit(visits: int) -> None:
    from django.db import connection
    from django.test import Client, override_settings
    from django.test.utils import CaptureQueriesContext

    from accounts.models import Person
    from annotation.models import Item

    client = Client()
    client.force_login(Person.objects.get(username="owner"))
    middle = Item.objects.order_by("pk").values_list("pk", flat=True)[Item.objects.count() // 2]
    pages = {**{name: PAGE + query for name, query in QUERIES.items()}, "an item": f"{PAGE}{middle}/"}
    print(f"{connection.vendor}\npage              status  statements   ms: clock  processor")
    for name, path in pages.items():
        clock, processor, sent, status = [], [], 0, 0
        for _ in range(visits):
            with override_settings(ALLOWED_HOSTS=["testserver"]), CaptureQueriesContext(connection) as queries:
                begun, worked = time.perf_counter(), time.process_time()
                status = client.get(path).status_code
                clock.append(1000 * (time.perf_counter() - begun))
                processor.append(1000 * (time.process_time() - worked))
            sent = max(sent, len(queries))
        said = f"{statistics.median(clock):>12.1f} {statistics.median(processor):>10.1f}"
        print(f"{name:<17} {status:>6} {sent:>11} {said}", flush=True)


def make_study(count: int, questions: int = QUESTIONS) -> None:
    """Write the rows of a rated study in bulk, table by table."""
    from django.utils import timezone

    from accounts.auditing import record
    from accounts.models import Person
    from annotation.members.membership import add_member
    from annotation.models import Annotation, Item, Output, Question, Rater, Rating, Slot, Study, Task, TaskOutput
    from benchmarks._own_database import fill_table
    from config.bulk_insert import packed_time, refresh_statistics

    owner, now, draw = Person.objects.create_user("owner"), packed_time(timezone.now()), Random(1)
    study = Study.objects.create(slug="listed", title="Listed", protocol="rating", redundancy=RATERS, status="live")
    add_member(study, owner, "owner", None)
    asked = [
        Question.objects.create(study=study, position=n, key=f"q{n}", type="likert", spec={"min": 1, "max": 5}).pk
        for n in range(questions)
    ]
    raters = [Rater.objects.create(study=study, name=f"rater-{n}").pk for n in range(RATERS)]
    text, keys = "The ferry sails at nine in the morning. " * 40, range(1, count + 1)
    fill_table(
        Item, ("id", "study_id", "key", "digest", "document", "instruction", "categories", "source", "set", "pool",
               "feedback"),
        ((n, study.pk, f"item-{n}", "d", text, f"Say when ship {n} sails.", f'"topic-{n % 20}"', "", "", "main", "")
         for n in keys),
    )  # fmt: skip
    fill_table(
        Output, ("id", "item_id", "position", "key", "text", "edited_from", "writer", "digest"),
        ((n, n, 0, "north", "At nine. " * 10, "", "", "d") for n in keys),
    )  # fmt: skip
    fill_table(Task, ("id", "item_id", "key", "variant"), ((n, n, "k", "") for n in keys))
    fill_table(TaskOutput, ("task_id", "output_id", "position"), ((n, n, 0) for n in keys))
    fill_table(
        Slot, ("study_id", "item_id", "task_id", "number", "place", "order", "state", "holder_id",
         "kept_for"),
        ((study.pk, n, n, number, n, "[0]", "filled", rater, "") for n in keys for number, rater in enumerate(raters)),
    )  # fmt: skip
    fill_table(
        Annotation,
        ("id", "task_id", "rater_id", "revision", "is_current", "status", "surplus", "answers", "reason", "flag",
         "shown", "protocol_version", "payload_digest", "tool_use", "seconds", "submitted_at"),
        ((RATERS * n + place, n, rater, 1, True, "submitted", False, "{}", "", "", "[0]", 1, "", "{}", 20.0, now)
         for n in keys for place, rater in enumerate(raters)),
    )  # fmt: skip
    fill_table(
        Rating,
        ("study_id", "question_id", "rater_id", "item_id", "output_id", "variant", "annotation_id", "revision",
         "is_current", "level", "number", "value", "off_scale", "run", "ordinal", "outcome", "prompt_digest",
         "submitted_at"),
        ((study.pk, question, rater, n, n, "", RATERS * n + place, 1, True, "interval", value, str(value), False, "", 0,
          "", "", now)
         for n in keys for place, rater in enumerate(raters) for question in asked for value in [draw.randint(1, 5)]),
    )  # fmt: skip
    record("study imported", study.slug, actor=None, study=study.slug)
    refresh_statistics(Item, Output, Task, TaskOutput, Slot, Annotation, Rating)


if __name__ == "__main__":
    main()
