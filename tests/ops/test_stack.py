"""`make stack` without its proxy and workers: what a first start that was cut leaves can be started again."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

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


@pytest.mark.skipif(bool(missing_program()), reason=f"PostgreSQL is missing: {missing_program()}")
@pytest.mark.parametrize("cut", ["stack.make_database = cut", "Path.unlink = cut"])
def test_a_first_start_that_is_cut_can_be_made_again(cut):
    """It is cut before the database is made, or before the data folder is ready; later starts keep the data."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL's user passes through it
        assert started(folder, cut) == ""
        assert [started(folder), started(folder)] == ["1", "2"]
