"""What the page and the steps of a revision session cost in the web process: statements, and processor time.

    python benchmarks/session_steps.py [--url DATABASE_URL] [--sessions 4] [--turns 5]

Makes a database of its own in a temporary folder (or uses the empty one given) with the demo's session study. One
annotator instructs, reads, rates and edits. The answers are written between the measured requests by the extractive
model. The processor time of a database server is not counted.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from uuid import uuid4

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
ASKED = (
    "What about shade at noon?",
    "What do trees cost?",
    "Which trees need little water?",
    "What about narrow streets?",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    from benchmarks._own_database import own_database

    with own_database(given.url):
        measure(given.sessions, given.turns)


def measure(sessions: int, turns: int) -> None:
    from django.test import override_settings

    costs: dict[str, list[tuple[int, float]]] = {}
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        client, slug = made()
        for _ in range(sessions):
            walk(client, slug, turns, costs)
    print("step               statements: median, most    ms of processor: median, best")
    for name, found in costs.items():
        sent, times = sorted(count for count, _ in found), sorted(1000 * spent for _, spent in found)
        middle = f"{statistics.median(sent):>25.0f} {sent[-1]:>5} {statistics.median(times):>22.1f}"
        print(f"{name:<18} {middle} {times[0]:.1f}")


def made():
    """A signed-in annotator and the slug of their study, which is live."""
    from django.test import Client

    from accounts.models import Person
    from annotation.members.membership import add_member
    from annotation.models import Study
    from annotation.studies.planning import plan_chunk
    from config.background.claiming import run_waiting
    from files.reading import import_study
    from retrieval.index_builds import ensure_index

    person = Person.objects.create_user("annotator")
    study = import_study(ROOT / "demo/session").study
    add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    Study.objects.filter(pk=study.pk).update(status="live")
    ensure_index(study)
    run_waiting()
    client = Client()
    client.force_login(person)
    return client, study.slug


def walk(client, slug: str, turns: int, costs: dict[str, list[tuple[int, float]]]) -> None:
    """One session from its first answer to its end."""
    from annotation.models import Guideline
    from config.background.claiming import run_waiting

    client.post(f"/studies/{slug}/sessions/welcome/")
    page = client.post(f"/studies/{slug}/next/")["Location"]
    run_waiting()
    shown = {"guidelines_version": Guideline.objects.filter(study__slug=slug).latest("number").number}

    def step(name: str, **fields: object) -> None:
        form = shown | {"step": name, "client_key": str(uuid4()), "rated": 0, "edits": 0} | fields
        response = cost(costs, name, lambda: client.post(f"{page}step/", form))
        if response.status_code != 302:
            raise SystemExit(f"{name} was refused: {response.content.decode()[:3000]}")

    for number in range(1, turns + 1):
        text = ASKED[number % len(ASKED)]
        step("instruct", turn=number, **{"q-:kind": "information", "q-:instruction": text})
        run_waiting()
        cost(costs, "page, to be rated", lambda: client.get(page))
        step("rate", turn=number, **{"q-rating": "neutral", "q-comment": "It lost what the second paper says."})
        answer = cost(costs, "page, to be edited", lambda: client.get(f"{page}?edit=1"))
        if answer.status_code != 200:
            raise SystemExit("The page was not shown.")
        step("edit", turn=number, **{"q-:edit": f"An answer of my own, number {number}. Trees give shade."})
    step("finish")


def cost(costs: dict[str, list[tuple[int, float]]], name: str, send):
    """Send a request, and keep its statements and its processor time under `name`."""
    from django.db import connection

    sent: list[str] = []

    def count(execute, sql, params, many, context):
        sent.append(sql)
        return execute(sql, params, many, context)

    began = time.process_time()
    with connection.execute_wrapper(count):
        response = send()
    costs.setdefault(name, []).append((len(sent), time.process_time() - began))
    return response


if __name__ == "__main__":
    main()
