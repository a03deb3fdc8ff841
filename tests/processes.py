"""Other processes that use the database of the running test."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from tests.house import ROOT

WAIT = 60
START = "import sys, django; django.setup()\n"


def database_url() -> str:
    """The URL of the test's own database, as DATABASE_URL names it."""
    about = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{about['NAME']}"
    login = quote(about["USER"]) + (f":{quote(about['PASSWORD'])}" if about["PASSWORD"] else "")
    return f"postgres://{login}@{about['HOST']}:{about['PORT'] or 5432}/{about['NAME']}"


@contextmanager
def child(code: str, *arguments: object) -> Iterator[subprocess.Popen]:
    """A Python process that runs `code` on the test's database, with pipes for lines in and out; killed at the end."""
    ours = {"VAR": str(settings.VAR), "SECRET_KEY": settings.SECRET_KEY, "DJANGO_SETTINGS_MODULE": "config.settings"}
    env = {**os.environ, **ours, "DATABASE_URL": database_url()}
    process = subprocess.Popen(
        [sys.executable, "-c", START + code, *map(str, arguments)], cwd=ROOT, text=True, bufsize=1,
        env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen) -> str:
    """Return the next line that a child prints; fail with its errors if it ended without one."""
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline().strip()
    assert line, process.stderr.read()
    return line


def tell(process: subprocess.Popen, line: str = "go") -> None:
    """Send a line to a child."""
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def finished(process: subprocess.Popen) -> str:
    """Return what a child prints until it ends; fail with its errors if it ended with an error."""
    out, errors = process.communicate(timeout=WAIT)
    assert process.returncode == 0, errors
    return out
