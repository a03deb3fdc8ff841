"""What the first visitor of a web process costs, beside the tenth: milliseconds of processor, and of PostgreSQL's.

    python -m benchmarks.first_requests [--url DATABASE_URL]

Warms up and forks as the web server does. Each visitor opens the home page and the first two tasks, and answers one.
"""

import argparse
import os
import sys
import uuid

from benchmarks._own_database import own_database
from benchmarks.desk import Browser, filled, make_study, server_seconds

VISITORS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    given = parser.parse_args()
    with own_database(given.url) as folder:
        from django.db import connection

        from accounts.models import Person
        from annotation.members.membership import add_member
        from config.parts import parts
        from config.warm_up import warm_up

        people = [Person.objects.create_user(f"visitor-{number}") for number in range(VISITORS)]
        study = make_study("rating", folder, people[0])
        for person in people[1:]:
            add_member(study, person, "annotator", None)
        browsers = [Browser(person) for person in people]
        warm_up()
        connection.close()
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return
        for part in parts():
            part.warm_up_thread()
        print(f"warmed up; PostgreSQL {1000 * server_seconds():.1f}")
        for number, browser in enumerate(browsers, 1):
            print(f"visitor {number}: {visit(browser, study)}", flush=True)
        os._exit(0)


def visit(browser: Browser, study) -> str:
    """The costs of one person's first requests."""
    costs = []

    def ask(name: str, method: str, path: str, fields: dict[str, object] | None = None) -> str:
        page = browser.send(method, path, fields)
        costs.append(f"{name} {1000 * browser.here:.1f} + {1000 * browser.there:.1f}")
        return page

    ask("home", "GET", "/")
    ask("claim", "POST", f"/studies/{study.slug}/next/")
    task = browser.location
    form = filled(study, task, ask("task", "GET", task))
    ask("answer", "POST", f"{task}submit/", form | {"client_key": str(uuid.uuid4())})
    ask("second task", "GET", browser.location)
    return ", ".join(costs)


if __name__ == "__main__":
    main()
