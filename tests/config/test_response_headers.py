"""What every response says to browsers, whatever its status; and Django's own check of a production's settings."""

import os
import secrets
import subprocess
import sys
from itertools import product

from django.db import OperationalError

from tests.house import ROOT
from tests.protecting_headers import lacking
from tests.world import SOME_ROUTES, on_routes


@on_routes
def test_every_address_answers_with_the_headers_that_protect_browsers(world, routes):
    """Of everybody who is not signed in; what a superuser sees is opened by tests/test_crawler.py, too."""
    clients, address = world
    wrong, statuses = [], set()
    names = ("anonymous",) if routes is SOME_ROUTES else ("anonymous", "superuser")
    for name, route in product(names, routes):
        response = clients[name].get(address(route))
        if response.streaming:
            b"".join(response)
        statuses.add(response.status_code)
        wrong += [f"{route} for {name}: {header}" for header in lacking(response)]
    assert wrong == []
    assert ({302, 401} if routes is SOME_ROUTES else {200, 302}) <= statuses


def test_pages_of_errors_have_them_too(world, monkeypatch):
    client = world[0]["owner"]
    monkeypatch.setattr(client, "raise_request_exception", False)
    assert lacking(client.get("/nothing/")) == []
    for problem, status in ((RuntimeError("CANARY"), 500), (OperationalError("database is locked"), 503)):

        def broken(person, problem=problem):
            raise problem

        monkeypatch.setattr("annotation.views.home.work_of", broken)
        response = client.get("/")
        assert (response.status_code, lacking(response)) == (status, [])


def test_django_finds_nothing_to_warn_of_in_production(tmp_path):
    given = {
        "PROFILE": "production", "SECRET_KEY": secrets.token_urlsafe(50), "ALLOWED_HOSTS": "rate.interrater.test",
        "BROKER_URL": "redis://127.0.0.1:6379/0", "VAR": str(tmp_path),
        "DATABASE_URL": "postgres://nobody:nothing@127.0.0.1:9/nowhere",  # this machine's SQLite may be an old one
    }  # fmt: skip
    mine = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    done = subprocess.run(
        [sys.executable, "-m", "django", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT, env=mine | given, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout
