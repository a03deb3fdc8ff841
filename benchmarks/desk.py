"""What a task's page and an answer with the next claim cost in this process: statements, and milliseconds of processor.

    python benchmarks/desk.py [--url DATABASE_URL] [--answers 100]

Makes a database of its own in a temporary folder (or uses the empty one given) with the demo's studies, each item
many times, and lets one annotator answer. The processor time of a database server is not counted.
"""

import argparse
import json
import re
import statistics
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PROTOCOLS = ("rating", "listwise", "pairwise")
COPIES = 100
WARM_UP = 15
HIDDEN = re.compile(r'name="(revision|guidelines_version)" value="([^"]*)"')
FREE = re.compile(r'name="([^"]+)" value="(none)"')
"""The boxes that say of an output that there is nothing to mark."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--answers", type=int, default=100)
    given = parser.parse_args()
    from benchmarks._own_database import own_database

    with own_database(given.url) as folder:
        print("protocol    statements: page  answer    ms of processor (median, best): page          answer")
        for protocol in PROTOCOLS:
            measure(protocol, folder, given.answers)


def measure(protocol: str, folder: Path, answers: int) -> None:
    from django.db import connection
    from django.test import Client, override_settings
    from django.test.utils import CaptureQueriesContext

    from accounts.models import Person

    person = Person.objects.create_user(f"annotator-of-{protocol}")
    study = make_study(protocol, folder, person)
    client = Client()
    client.force_login(person)
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        where = client.post(f"/studies/{study.slug}/next/")["Location"]
        for _ in range(WARM_UP):
            where, *_ = step(client, where, study)
        with CaptureQueriesContext(connection) as captured:
            html = client.get(where).content.decode()
        page, form = counted(captured), filled(study, where, html)
        with CaptureQueriesContext(connection) as captured:
            where = send(client, where, form)
        answer = counted(captured)
        times = []
        for _ in range(answers):
            where, *cost = step(client, where, study)
            times.append(cost)
    pages, sent = (sorted(1000 * one for one in column) for column in zip(*times, strict=True))
    print(
        f"{protocol:<11} {page:>16} {answer:>7} "
        f"{statistics.median(pages):>41.1f} {pages[0]:.1f} {statistics.median(sent):>9.1f} {sent[0]:.1f}",
        flush=True,
    )


def counted(captured) -> int:
    frame = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return sum(not (query["sql"] or "").strip().startswith(frame) for query in captured.captured_queries)


def step(client, where: str, study) -> tuple[str, float, float]:
    """Open a task and answer it; the next task's address, and the processor time of both."""
    began = time.process_time()
    page = client.get(where)
    opened = time.process_time()
    form = filled(study, where, page.content.decode())
    ready = time.process_time()
    following = send(client, where, form)
    return following, opened - began, time.process_time() - ready


def send(client, where: str, form: dict[str, object]) -> str:
    """Send an answer; the address of the next task."""
    response = client.post(f"{where}submit/", form | {"client_key": str(uuid.uuid4())})
    if response.status_code != 302:
        raise SystemExit(f"The answer was refused: {response.content.decode()[:3000]}")
    return response["Location"]


def filled(study, where: str, html: str) -> dict[str, object]:
    """The form of a page, with an answer to every question."""
    return answer_to(study, where) | dict(HIDDEN.findall(html)) | dict(FREE.findall(html))


def answer_to(study, where: str) -> dict[str, object]:
    """An answer to every question of the task at this address."""
    from annotation.desk.form_reading import asked_of, field_name, is_asked
    from annotation.desk.submitting import sheet_of
    from annotation.models import Assignment
    from annotation.protocols import protocols

    protocol = protocols()[study.protocol]
    sheet = sheet_of(Assignment.objects.select_related("task__item").get(key=where.split("/")[2]))
    answers, form = {}, {}
    for question in study.questions.order_by("position"):
        if is_asked(question, answers):
            answers[question.key] = value = some_value(question)
            for output in asked_of(question, sheet, protocol.asks_per):
                name = field_name(question, output)
                if question.type == "rank":
                    form |= {f"{name}-{one.letter}": str(place + 1) for place, one in enumerate(sheet.outputs)}
                elif question.type != "spans":
                    form[name] = str(value).lower() if isinstance(value, bool) else value
    return form


def some_value(question) -> object:
    spec = question.spec
    known = {"binary": True, "text": "Because the document says so. " * 9, "preference": "A"}
    choices = spec.get("choices") or [""]
    return known.get(question.type, spec.get("min", choices[0] if isinstance(choices[0], str) else ""))


def make_study(protocol: str, folder: Path, person):
    from annotation.importing import import_study
    from annotation.members.membership import add_member
    from annotation.models import Study
    from annotation.studies.planning import plan_chunk

    made = folder / protocol
    made.mkdir()
    demo = ROOT / "demo" / protocol
    (made / "study.yaml").write_text((demo / "study.yaml").read_text())
    items = [json.loads(line) for line in (demo / "items.jsonl").read_text().splitlines()]
    copies = (item | {"id": f"{item['id']}-{copy}"} for copy in range(COPIES) for item in items)
    (made / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in copies))
    study = import_study(made).study
    add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    Study.objects.filter(pk=study.pk).update(status="live")
    study.refresh_from_db()
    return study


if __name__ == "__main__":
    main()
