"""Whole installations for tests: a database of either kind, a VAR, and the real commands in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tests.faults.own_postgres import missing_program, own_postgres
from tests.house import ROOT
from tests.release_fixture import SERVER

KEY = "a key of installations in tests, long enough for everybody"
SET_UP = (
    "import sys, django; django.setup()\nfrom pathlib import Path\nfrom django.core.management import call_command\n"
)
FILL = "call_command('migrate', verbosity=0)\nfrom tests.filled import fill; fill(Path(sys.argv[1]) / 'studies')\n"
"""Fills an installation with a study of each protocol; its argument is a folder for their files."""
KINDS = ("sqlite", "postgresql")
QUICK_KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.thorough))
"""For what hardly depends on the database; the drill of a restore always runs on both."""
WAIT = 900
"""Seconds after which a process is killed, because it waits for ever; no test measures time."""


@dataclass
class Installation:
    """Where an installation is; `settings` names the module of its settings."""

    url: str
    var: Path
    settings: str = "config.settings"
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in ("BROKER_URL", "ENDPOINTS_FILE")}
        ours = {
            "DATABASE_URL": self.url, "VAR": str(self.var), "SECRET_KEY": KEY, "SQLITE_SYNCHRONOUS": "NORMAL",
            "DJANGO_SETTINGS_MODULE": self.settings, "PYTHONPATH": f"{ROOT}:{self.var.parent}",
        }  # fmt: skip
        return {**kept, **ours, **self.extra}

    def manage(self, *arguments: object) -> subprocess.CompletedProcess:
        """Run a command and return how it ended."""
        command = [sys.executable, "manage.py", *map(str, arguments)]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=WAIT, check=False
        )

    def must(self, *arguments: object) -> str:
        """Run a command that must work; return what it prints."""
        done = self.manage(*arguments)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def refused(self, *arguments: object) -> str:
        """Run a command that must fail with a sentence and no stack trace; return the sentence."""
        done = self.manage(*arguments)
        assert done.returncode != 0, done.stdout
        assert "Traceback" not in done.stderr
        return done.stderr

    def start(self, code: str, *arguments: object, **more: object) -> subprocess.Popen:
        """Start a process that runs `code`, with pipes."""
        command = [sys.executable, "-c", SET_UP + code, *map(str, arguments)]
        return subprocess.Popen(
            command, cwd=ROOT, env=self.environment, text=True, bufsize=1, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
        )  # fmt: skip

    def run(self, code: str, *arguments: object) -> str:
        """Run `code` to its end; return what it prints."""
        process = self.start(code, *arguments)
        try:
            out, errors = process.communicate(timeout=WAIT)
        finally:
            process.kill()
        assert process.returncode == 0, errors
        return out

    def digest(self) -> str:
        return self.must("canonical_export").split()[0]


@contextmanager
def installation(kind: str, folder: Path, server_url: str = SERVER) -> Iterator[Installation]:
    """A new installation without tables, in a folder of its own and, if so, a new database on the server."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "var").mkdir()
    if kind == "sqlite":
        yield Installation(f"sqlite:///{folder / 'data.sqlite3'}", folder / "var")
        return
    name = f"installation_{os.getpid()}_{folder.name}".replace("-", "_")
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            yield Installation(urlunsplit(urlsplit(server_url)._replace(path=f"/{name}")), folder / "var")
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def server_answers() -> bool:
    """Whether the PostgreSQL that tests may use answers."""
    try:
        psycopg.connect(SERVER, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def skip_without_server(kind: str) -> None:
    """Skip the test of PostgreSQL if no server answers."""
    if kind == "postgresql" and not server_answers():
        pytest.skip("no PostgreSQL answers: set TEST_POSTGRES_URL")


@contextmanager
def some_server() -> Iterator[str]:
    """The address of the server that tests may use, or of one of our own; skips without the programs for that."""
    if server_answers():
        yield SERVER
        return
    if missing := missing_program():
        pytest.skip(f"no PostgreSQL answers, and {missing}")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # it may run as another user
        with own_postgres(Path(folder)) as server:
            yield server.url
