"""`make stack` without its proxy and workers: what processes are told, and starts that were cut."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest

from scripts.stack import Stack, start
from scripts.stop_errors import StopError
from tests.faults.own_postgres import missing_program
from tests.ops.conftest import LONGEST, ROOT, clean_environment, free_port

POSTGRES = """
import os, sys
from pathlib import Path
import psycopg
from scripts import stack
from scripts.supervisor import Supervisor
supervisor = Supervisor()
ports = {"postgres": int(sys.argv[2]), "redis": 1, "web": 2, "proxy": 3}
made = stack.Stack(Path(sys.argv[1]), stack.search_path(), ports)
made.make_folders()
service = made.described[0]
cut = lambda *given, **more: os.kill(os.getpid(), 9)
CUT
try:
    stack.start(supervisor, made, service)
    password = made.secret_place("postgres_password").read_text().strip()
    where = {"host": "127.0.0.1", "port": ports["postgres"], "user": "interrater", "dbname": "interrater"}
    with psycopg.connect(**where, password=password) as asking:
        asking.execute("CREATE TABLE IF NOT EXISTS starts (at int)")
        asking.execute("INSERT INTO starts VALUES (1)")
        print(asking.execute("SELECT count(*) FROM starts").fetchone()[0])
finally:
    supervisor.close()
"""


def started(folder, cut: str = "") -> str:
    """Start the stack's PostgreSQL as the stack does, and end it; return its last line, "" if it was cut."""
    done = subprocess.run(
        [sys.executable, "-c", POSTGRES.replace("CUT", cut), str(folder), str(free_port())], cwd=ROOT, timeout=LONGEST,
        env=clean_environment(), text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == (-9 if cut else 0), done.stderr
    latest = time.monotonic() + LONGEST
    while any(folder.glob("postgres-*/postmaster.pid")):  # the kernel asks the server of a killed start to end
        assert time.monotonic() < latest, "PostgreSQL does not end"
        time.sleep(0.05)
    return ["", *done.stdout.splitlines()][-1]


@pytest.mark.thorough
@pytest.mark.skipif(bool(missing_program()), reason=f"PostgreSQL is missing: {missing_program()}")
@pytest.mark.parametrize("cut", ["stack.make_database = cut", "Path.unlink = cut"])
def test_a_first_start_that_is_cut_can_be_made_again(cut):
    """It is cut before the database is made, or before the data folder is ready; later starts keep the data."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL's user passes through it
        assert started(folder, cut) == ""
        assert [started(folder), started(folder)] == ["1", "2"]


@pytest.fixture
def stack(tmp_path):
    """A function that makes a stack whose keys.env has this text."""

    def make(text: str, mode: int = 0o600, **more: object) -> Stack:
        (tmp_path / "keys.env").write_text(text, encoding="utf-8")
        (tmp_path / "keys.env").chmod(mode)
        return Stack(tmp_path, os.defpath, {"postgres": 1, "redis": 2, "web": 3, "proxy": 4}, **more)

    return make


KEYS = """# The keys of endpoints
CAMPUS_KEY="a key = it"
SENTRY_DSN=https://key@errors.example.org/8000

LOG_LEVEL=DEBUG
ALLOWED_HOSTS=elsewhere.example.org
PATH=/nowhere
VAR=/nowhere
"""


def test_the_program_gets_keys_and_settings_of_the_folder_and_nothing_else_does(stack, monkeypatch):
    monkeypatch.setenv("UNTOLD_KEY", "of the shell")
    made = stack(KEYS)
    for service in made.described:
        told = made.environment(service)
        if service.name in ("postgres", "redis", "proxy"):
            assert {"CAMPUS_KEY", "SENTRY_DSN"} & set(told) == set()
            continue
        assert told["CAMPUS_KEY"] == "a key = it"
        assert told["SENTRY_DSN"] == "https://key@errors.example.org/8000"
        assert told["LOG_LEVEL"] == "DEBUG"
        assert told["ALLOWED_HOSTS"] == "localhost,127.0.0.1"
        assert (told["PATH"], told["VAR"]) == (made.path, str(made.folder / "var"))
        assert "UNTOLD_KEY" not in told


def test_a_file_of_keys_that_others_can_read_or_that_cannot_be_read_is_refused(stack):
    with pytest.raises(StopError, match="chmod 0600"):
        stack(KEYS, 0o640)
    with pytest.raises(StopError, match=r"Line 2 of \S+ is not NAME=value\.$"):
        stack("A=1\nsecret words\n")


@pytest.mark.parametrize(("backup", "last", "is_quiet"), [(Path("/a.zip"), "restore", False), (None, "migrate", True)])
def test_a_restore_shows_what_it_says(stack, backup, last, is_quiet):
    made, steps = stack("", backup=backup), []
    (service,) = (one for one in made.described if one.name == "migrate")
    start(SimpleNamespace(run_step=lambda words, told, quiet: steps.append((words[2], quiet))), made, service)
    assert steps == [("collectstatic", True), (last, is_quiet)]
