"""What researchers' pages and the lists of the admin cost in large studies: queries, time and memory.

    python benchmarks/managing_pages.py [--url DATABASE_URL] [--items 100000] [--questions 2] [--visits 3] [--over]

Makes a database of its own in a temporary folder (or uses the empty one given): a live study whose items three people
have rated by that many questions, a draft with as many items, their audit, calls, tasks given out and a few hundred
people. Workers count it; then a new process visits the pages, each once to warm up. On SQLite, the processor's time
holds the database's work; on PostgreSQL, add both. A list of the admin is shown as it opens, and then by its most
expensive order, filter, search or page. The memory is what the process has after the page without mapped files.
With `--over`, only what takes more than 15 queries or 300 ms is shown.
"""

import argparse
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RATERS, MEMBERS, CALLS = 3, 300, 50_000
MOST_QUERIES, MOST_MS = 15, 300
MOMENT = timedelta(seconds=1)
LIVE, DRAFT = "/studies/listed/", "/studies/drafted/"
PAGES = {
    "home": "/", "overview": LIVE, "overview of a draft": DRAFT, "progress": f"{LIVE}progress/",
    "progress, glance": f"{LIVE}progress/?part=glance", "attention": f"{LIVE}attention/",
    "people": f"{LIVE}people/", "invitations": f"{LIVE}invitations/", "disagreement": f"{LIVE}disagreement/",
    "balance": f"{LIVE}balance/", "plan": f"{LIVE}plan/", "plan of a draft": f"{DRAFT}plan/",
    "settings": f"{LIVE}settings/", "tokens": f"{LIVE}tokens/", "review": f"{LIVE}review/",
    "spot checks": f"{LIVE}review/checks/", "report": f"{LIVE}report/", "report, glance": f"{LIVE}report/glance/",
    "leaderboard": f"{LIVE}leaderboard/", "tables": f"{LIVE}tables/", "judges": f"{LIVE}judges/",
    "models": f"{LIVE}models/", "calls": f"{LIVE}models/calls/", "guidelines": f"{LIVE}guidelines/",
    "upload": f"{LIVE}upload/", "upload to a draft": f"{DRAFT}upload/", "new item": f"{DRAFT}items/new/",
    "questions of a draft": f"{DRAFT}build/", "prepare a draft": f"{DRAFT}prepare/", "delete": f"{LIVE}delete/",
    "delete a draft": f"{DRAFT}delete/", "duplicate": f"{LIVE}duplicate/",
    "items": f"{LIVE}items/", "items of a draft": f"{DRAFT}items/", "items, last page": f"{LIVE}items/?page=200",
}  # fmt: skip
SEARCHES = {
    "search, many": "q=ferry", "search, one": "q=item-77777", "search, none": "q=nowhere", "category":
    "category=topic-3", "set": "set=test", "pool": "pool=main", "complete": "state=complete", "waiting":
    "state=waiting", "flagged": "mark=flagged", "skipped": "mark=skipped", "withdrawn": "mark=withdrawn",
    "range": "least=0.5&most=0.6",
    **{f"by {sort}": f"sort={sort}&page=200" for sort in ("key", "disagreement", "agreement", "answers", "few")},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=2)
    parser.add_argument("--visits", type=int, default=3)
    parser.add_argument("--over", action="store_true", help="show only what is over the limits")
    parser.add_argument("--step", choices=("ask", "work", "visit"), help="what the new processes do")
    given = parser.parse_args()
    if given.step:
        step(given)
        return
    from benchmarks._own_database import own_database

    with own_database(given.url):
        from benchmarks.item_pages import make_study

        begun = time.perf_counter()
        make_study(given.items, given.questions)
        make_rest(given.items)
        print(f"made in {time.perf_counter() - begun:.0f} s", flush=True)
        options = ["--visits", str(given.visits), *(["--over"] if given.over else [])]
        for name in ("ask", "work", "visit"):  # the first visits request what workers keep
            subprocess.run([sys.executable, __file__, "--step", name, *options], check=True)


def make_rest(count: int) -> None:
    """Write what `item_pages` leaves out: tasks given out, audit, calls, people, and a draft."""
    from django.utils import timezone

    from accounts.models import AuditEntry, Person
    from annotation.members.membership import add_member
    from annotation.models import Assignment, Item, Membership, Output, Question, Rater, Study
    from benchmarks._own_database import fill_table
    from config.bulk_insert import next_ids, packed_time, refresh_statistics
    from llm.models import Call

    owner, now = Person.objects.get(username="owner"), timezone.now()
    Person.objects.filter(pk=owner.pk).update(is_staff=True)
    Person.objects.create_user("root", is_superuser=True, is_staff=True)
    live = Study.objects.get()
    people = Person.objects.bulk_create([Person(username=f"person-{n}", password="!") for n in range(MEMBERS)])
    Membership.objects.bulk_create([Membership(study=live, person=one, role="annotator") for one in people])
    draft = Study.objects.create(slug="drafted", title="Drafted", protocol="rating", redundancy=RATERS)
    add_member(draft, owner, "owner", None)
    Question.objects.create(study=draft, position=0, key="q0", type="likert", text="How good?",
                            spec={"min": 1, "max": 5})  # fmt: skip
    raters, at = list(Rater.objects.values_list("pk", flat=True)), packed_time(now)
    items, text = next_ids(Item, 2 * count)[-count:], "The ferry sails at nine in the morning. " * 40
    fill_table(
        Item, ("id", "study_id", "key", "digest", "document", "instruction", "categories", "source", "set", "pool",
               "feedback"),
        ((pk, draft.pk, f"item-{pk}", "d", text, "Say when it sails.", "[]", "", "", "main", "") for pk in items),
    )  # fmt: skip
    outputs = next_ids(Output, 2 * count)[-count:]
    fill_table(
        Output, ("id", "item_id", "position", "key", "text", "edited_from", "writer", "digest"),
        ((pk, item, 0, "north", "At nine. " * 10, "", "", "d") for pk, item in zip(outputs, items, strict=True)),
    )  # fmt: skip
    fill_table(
        Assignment,
        ("key", "task_id", "rater_id", "order", "created_at", "draft_version", "visible_seconds", "active_seconds",
         "tool_use", "flag"),
        ((f"{n * RATERS + place:032x}", n, rater, "[0]", at, 0, 0.0, 0.0, "{}", "" if n % 100 else "Odd.")
         for n in range(1, count + 1) for place, rater in enumerate(raters)),
    )  # fmt: skip
    fill_table(
        AuditEntry, ("at", "action", "study", "subject"),
        ((packed_time(now + n * MOMENT), action, live.slug, f"task {n} of rater") for n in range(-RATERS * count, 0)
         for action in ("task assigned", "task submitted")),
    )  # fmt: skip
    Call.objects.bulk_create((
        Call(study=live, run="r", work=f"judgment:{n}", step="judge", endpoint="local", model="small",
             model_asked="small", messages=[], messages_digest="d", request_digest=f"{n:x}", status="failed",
             lease_until=now, started_at=now, ended_at=now, price_charged=0)
        for n in range(CALLS)
    ), batch_size=500)  # fmt: skip
    refresh_statistics(Assignment, AuditEntry, Call, Item, Output, Membership, Person)


def step(given: argparse.Namespace) -> None:
    """Visit all pages, or do all background work, in this new process."""
    import django

    os.environ["ALLOWED_HOSTS"] = "testserver"
    django.setup()
    if given.step == "work":
        from config.background.claiming import run_waiting

        worked = time.process_time()
        print(f"worker: {run_waiting()} rows, {time.process_time() - worked:.1f} s of the processor", flush=True)
        return
    from django.db import connection
    from django.test import Client

    from accounts.models import Person

    logging.disable()  # addresses that the owner may not see
    owner, root = Client(), Client()
    owner.force_login(Person.objects.get(username="owner"))
    root.force_login(Person.objects.get(username="root"))
    if given.step == "ask":
        for _, path in own_pages():
            measured(owner, path, 0)
        return
    print(
        f"{connection.vendor}\npage                                 status queries   database ms  processor ms   MiB",
        flush=True,
    )
    for name, path in own_pages():
        show(name, measured(owner, path, given.visits), given.over)
    for client, lists in ((owner, "staff"), (root, "root")):
        for name, paths in admin_lists(client):
            if lists == "root" and not name.startswith(("accounts", "config")):
                continue
            costs = {path: measured(client, path, given.visits) for path in paths}
            show(name, costs.pop(paths[0]), given.over)
            if costs:
                worst = max(costs, key=lambda path: costs[path].milliseconds)
                show(f"{name} {worst.partition('?')[2]}", costs[worst], given.over)


def own_pages() -> Iterator[tuple[str, str]]:
    from annotation.models import Item

    middle = Item.objects.filter(study__slug="listed").order_by("pk").values_list("pk", flat=True)[50]
    edited = Item.objects.filter(study__slug="drafted").order_by("pk").values_list("pk", flat=True)[50]
    yield from PAGES.items()
    yield "an item", f"{LIVE}items/{middle}/"
    yield "an item of a draft", f"{DRAFT}items/{edited}/edit/"
    for name, query in SEARCHES.items():
        yield f"items, {name}", f"{LIVE}items/?{query}"


def admin_lists(client: Any) -> list[tuple[str, list[str]]]:
    """Each list that this person sees, with its addresses: as it opens, then each filter, order, search, last page."""
    from django.contrib import admin
    from django.test.utils import setup_test_environment, teardown_test_environment
    from django.urls import reverse

    setup_test_environment()  # so that responses have their contexts
    found = []
    for model in admin.site._registry:
        label = f"{model._meta.app_label}_{model._meta.model_name}"
        path = reverse(f"admin:{label}_changelist")
        response = client.get(path)
        if response.status_code != 200:
            continue
        shown = response.context["cl"]
        queries: list[str] = []
        if shown.result_count > 1:
            for one in shown.filter_specs:
                queries += [choice["query_string"] for choice in one.choices(shown)][1:3]
            queries += [f"?o={sign}{n}" for n in range(1, len(shown.list_display) + 1) for sign in ("", "-")]
            queries += ["?q=item-77", "?q=nowhere"] if shown.search_fields else []
            queries += [f"?p={shown.paginator.num_pages}"]
        found.append((label, [path, *(path + query for query in queries)]))
    teardown_test_environment()
    return found


@dataclass(frozen=True)
class Cost:
    """Of a request: the highest number of queries, and the least milliseconds, as other work disturbs the rest."""

    status: int
    queries: int
    database: float
    processor: float
    memory: float = 0.0

    @property
    def milliseconds(self) -> float:
        from django.db import connection

        return self.processor if connection.vendor == "sqlite" else self.processor + self.database


def measured(client: Any, path: str, visits: int) -> Cost:
    from django.db import connection
    from django.test import override_settings
    from django.test.utils import CaptureQueriesContext

    from benchmarks.memory import pss

    spent: list[float] = []

    def clocked(execute: Any, *given: Any) -> Any:
        begun = time.perf_counter()
        try:
            return execute(*given)
        finally:
            spent.append(1000 * (time.perf_counter() - begun))

    database, processor, sent, status = [], [], 0, 0
    with override_settings(ALLOWED_HOSTS=["testserver"]), connection.execute_wrapper(clocked):
        client.get(path)
        if not visits:
            return Cost(0, 0, 0.0, 0.0)
        for _ in range(visits):
            spent.clear()
            with CaptureQueriesContext(connection) as queries:
                worked = time.process_time()
                status = client.get(path).status_code
                processor.append(1000 * (time.process_time() - worked))
            database.append(sum(spent))
            sent = max(sent, len(queries))
    return Cost(status, sent, min(database), min(processor), pss(os.getpid(), "Pss_Anon"))


def show(name: str, cost: Cost, only_over: bool) -> None:
    is_over = cost.queries > MOST_QUERIES or cost.milliseconds > MOST_MS
    if is_over or cost.status != 200 or not only_over:
        mark = " over" if is_over else ""
        figures = f"{cost.queries:>7} {cost.database:>13.0f} {cost.processor:>13.0f} {cost.memory:>5.0f}"
        print(f"{name:<36} {cost.status:>6} {figures}{mark}", flush=True)


if __name__ == "__main__":
    main()
