"""A server of our own needs the programs of PostgreSQL and no others."""

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import psycopg
import pytest

from tests.faults import own_postgres
from tests.ops.conftest import children_of, has_ended


def test_only_programs_of_postgresql_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(own_postgres, "search_path", lambda: str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert own_postgres.missing_program() == "postgres is missing: sudo apt install postgresql"
    for name in own_postgres.PROGRAMS:
        (tmp_path / name).touch(0o755)
    assert own_postgres.missing_program() == ""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert own_postgres.missing_program().startswith("setpriv is missing")


@pytest.mark.thorough
@pytest.mark.skipif(bool(own_postgres.missing_program()), reason=own_postgres.missing_program())
def test_a_server_that_crashes_while_it_is_used_starts_again():
    with TemporaryDirectory() as folder, own_postgres.own_postgres(Path(folder)) as server:
        for _ in range(3):
            used = [psycopg.connect(server.url) for _ in range(20)]
            server.crash()
            server.start()
            assert server.answers()
            for one in used:
                one.close()


@pytest.mark.thorough
@pytest.mark.skipif(bool(own_postgres.missing_program()), reason=own_postgres.missing_program())
def test_a_crash_ends_a_statement_that_runs():
    with (
        TemporaryDirectory() as folder,
        own_postgres.own_postgres(Path(folder)) as server,
        psycopg.connect(server.url, autocommit=True) as busy,
        psycopg.connect(server.url, autocommit=True) as other,
    ):
        pid = busy.info.backend_pid
        assert pid in children_of(server.process.pid)
        ended = Thread(target=_is_cut, args=(busy, found := []))
        ended.start()
        sleeps = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'"
        deadline = time.monotonic() + 10
        while other.execute(sleeps, [pid]).fetchone() is None:
            assert time.monotonic() < deadline
        server.crash()
        assert has_ended(pid)
        ended.join()
        assert found == [True]


def _is_cut(busy, found):
    """Note whether a statement that takes long ends with its connection."""
    try:
        busy.execute("SELECT pg_sleep(60)")
        found.append(False)
    except psycopg.OperationalError:
        found.append(True)
