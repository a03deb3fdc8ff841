"""What a task's page and an answer with the next claim cost: statements, and milliseconds of processor.

    python benchmarks/desk.py [--url DATABASE_URL] [--answers 100]

Makes a database of its own in a temporary folder (or uses the empty one given) with the demo's studies, each item
many times, and lets one annotator answer, through the WSGI application as a web server calls it. The processor time of
this process comes first, then that of PostgreSQL's process, if it runs on this host.
"""

import argparse
import io
import json
import re
import statistics
import sys
import time
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PROTOCOLS = ("rating", "listwise", "pairwise")
COPIES = 100
WARM_UP = 15
TOKEN = "0123456789abcdef0123456789abcdef"
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
        print("protocol    statements: page  answer | ms (median, best): page, answer | of PostgreSQL: page, answer")
        for protocol in PROTOCOLS:
            measure(protocol, folder, given.answers)


class Browser:
    """A signed-in browser, without a network; `here` and `there`: seconds of processor of the last request."""

    def __init__(self, person: Any) -> None:
        from django.test import Client

        from config.wsgi import application

        client = Client()
        client.force_login(person)
        self.cookies, self.application = (
            f"sessionid={client.cookies['sessionid'].value}; csrftoken={TOKEN}",
            application,
        )
        self.here = self.there = 0.0
        self.status, self.location = "", ""

    def send(self, method: str, path: str, fields: dict[str, Any] | None = None) -> str:
        """The body of the answer to a request."""
        body = urlencode(fields or {}).encode()
        environ = {
            "REQUEST_METHOD": method, "PATH_INFO": path, "SERVER_NAME": "localhost", "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost:8000",
            "HTTP_COOKIE": self.cookies, "HTTP_X_CSRFTOKEN": TOKEN, "HTTP_ACCEPT": "text/html",
            "CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr, "wsgi.url_scheme": "http",
        }  # fmt: skip
        began, served = time.process_time(), server_seconds()
        response = self.application(environ, self._begin)
        content = b"".join(response)
        response.close()
        self.here, self.there = time.process_time() - began, server_seconds() - served
        return content.decode()

    def _begin(self, status: str, headers: list[tuple[str, str]], problem: Any = None) -> None:
        self.status, self.location = status[:3], dict(headers).get("Location", "")


def server_seconds() -> float:
    """The processor time of this connection's process of PostgreSQL; 0 if there is none on this host."""
    from django.db import connection

    raw = connection.connection
    if raw is None or connection.vendor != "postgresql":
        return 0.0
    try:
        return int(Path(f"/proc/{raw.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


def measure(protocol: str, folder: Path, answers: int) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from accounts.models import Person

    person = Person.objects.create_user(f"annotator-of-{protocol}")
    study = make_study(protocol, folder, person)
    browser = Browser(person)
    browser.send("POST", f"/studies/{study.slug}/next/")
    where = browser.location
    for _ in range(WARM_UP):
        where, *_ = step(browser, where, study)
    with CaptureQueriesContext(connection) as captured:
        html = browser.send("GET", where)
    page, form = counted(captured), filled(study, where, html)
    with CaptureQueriesContext(connection) as captured:
        where = send(browser, where, form)
    answer = counted(captured)
    times = []
    for _ in range(answers):
        where, *cost = step(browser, where, study)
        times.append(cost)
    columns = [sorted(1000 * one for one in column) for column in zip(*times, strict=True)]
    shown = [f"{statistics.median(column):6.2f} {column[0]:5.2f}" for column in columns]
    print(f"{protocol:<11} {page:>16} {answer:>7} | {shown[0]}, {shown[1]} | {shown[2]}, {shown[3]}", flush=True)


def counted(captured) -> int:
    frame = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return sum(not (query["sql"] or "").strip().startswith(frame) for query in captured.captured_queries)


def step(browser: Browser, where: str, study) -> tuple[str, float, float, float, float]:
    """Open a task and answer it; the next task's address, and the processor time of both, here and in PostgreSQL."""
    form = filled(study, where, browser.send("GET", where))
    here, there = browser.here, browser.there
    following = send(browser, where, form)
    return following, here, browser.here, there, browser.there


def send(browser: Browser, where: str, form: dict[str, object]) -> str:
    """Send an answer; the address of the next task."""
    page = browser.send("POST", f"{where}submit/", form | {"client_key": str(uuid.uuid4())})
    if browser.status != "302":
        raise SystemExit(f"The answer was refused: {page[:3000]}")
    return browser.location


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
    from annotation.members.membership import add_member
    from annotation.models import Study
    from annotation.studies.planning import plan_chunk
    from files.reading import import_study

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
